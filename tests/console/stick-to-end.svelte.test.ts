import { afterEach, beforeEach, expect, test } from 'vitest';
import { StickToEnd } from '#lib/chat/stick-to-end.svelte.ts';

let box: HTMLElement;
let column: HTMLElement;
let stick: StickToEnd;
let detach: () => void;

beforeEach(() => {
  box = document.createElement('div');
  box.style.cssText = 'block-size: 200px; overflow-y: auto';
  column = document.createElement('div');
  column.style.blockSize = '1000px';
  box.append(column);
  document.body.append(box);
  stick = new StickToEnd();
  detach = stick.attach(box);
});

afterEach(() => {
  detach();
  box.remove();
});

const grow = (px: number): void => {
  column.style.blockSize = `${column.clientHeight + px}px`;
};

/** Two frames: scroll events and size changes are told once in each. */
const settle = async (): Promise<void> => {
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  await new Promise((resolve) => setTimeout(resolve));
};

const distance = (): number => box.scrollHeight - box.scrollTop - box.clientHeight;

test('the end stays in view while the column grows, however much comes at once', async () => {
  stick.toEnd();
  grow(600);
  await settle();
  grow(600);
  await settle();

  expect(stick.isAway).toBe(false);
  expect(distance()).toBeLessThan(2);
});

test('whoever has scrolled up is left alone until coming back', async () => {
  stick.toEnd();
  await settle();
  box.scrollTop = 300;
  await settle();
  expect(stick.isAway).toBe(true);
  grow(500);
  await settle();
  expect(box.scrollTop).toBe(300);
  box.scrollTop = box.scrollHeight;
  await settle();

  expect(stick.isAway).toBe(false);
});

test('lines that are added above do not move those that are read', async () => {
  stick.toEnd();
  await settle();
  box.scrollTop = 0;
  await settle();
  await stick.keepPlace(() => {
    grow(700);
    return Promise.resolve();
  });

  expect(box.scrollTop).toBe(700);
  await settle();
  expect(stick.isAway).toBe(true);
});

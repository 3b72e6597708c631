import { describe, expect, test } from 'vitest';
import { createChildAnswer, type ChildResult } from '../../server/sandbox/child-answer.ts';
import { encodeFrame, encodeNamedHeader, FRAME } from '../../server/sandbox/frames.ts';

/** What the server is told when a process says these bytes; the script begins after `ready`. */
function hear(...chunks: readonly Buffer[]) {
  let output = '';
  let result: ChildResult | null = null;
  const answer = createChildAnswer({
    onReady: () => answer.expectRun(),
    onOutput: (bytes) => (output += bytes.toString()),
    onResult: (told) => (result = told),
  });
  let problem: string | null = null;
  try {
    for (const chunk of chunks) answer.receive(chunk);
  } catch (error) {
    problem = (error as Error).message;
  }
  return { output, result: result as ChildResult | null, problem };
}

const READY = encodeFrame(FRAME.ready, Buffer.alloc(0));
const output = (text: string) => encodeFrame(FRAME.output, Buffer.from(text));
const artefact = (name: string, content: Uint8Array = Buffer.from('x')) =>
  Buffer.concat([encodeNamedHeader(FRAME.artefact, name, content.length), content]);
const result = (told: unknown) => encodeFrame(FRAME.result, Buffer.from(JSON.stringify(told)));
const finished = (files: number) => result({ raised: null, isOutputCut: false, files });
const header = (length: number, type: number) => {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32LE(length);
  bytes.writeUInt8(type, 4);
  return bytes;
};

test('an answer is understood however its bytes are cut', () => {
  const bytes = Buffer.concat([
    ...[READY, output('a'), output('b'), artefact('a.txt'), artefact('.b', Buffer.alloc(0))],
    finished(2),
  ]);
  const whole = hear(bytes);

  expect(whole).toMatchObject({ output: 'ab', problem: null });
  expect(whole.result?.artefacts.map(({ name }) => name)).toEqual(['a.txt', '.b']);
  expect(hear(...[...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
});

const large = Buffer.alloc(10_000_000);
const manyFiles = Array.from({ length: 21 }, (_, at) => artefact(`${at}`));

describe('a process that breaks the protocol gives no result, and the reason is told', () => {
  test.each<[string, readonly Buffer[], RegExp]>([
    ['text before it is ready', [Buffer.from('Hello, world!')], /unknown type 111/],
    ['a result before it is ready', [finished(0)], /type 22 when it may not/],
    ['ready twice', [READY, READY], /type 1 when it may not/],
    [
      'ready with a payload',
      [encodeFrame(FRAME.ready, Buffer.from('x'))],
      /one of type 1 may have 0/,
    ],
    ['a frame that only the server sends', [READY, header(1, FRAME.run)], /unknown type 12/],
    ['a frame of 4 GB', [READY, header(0xffffffff, FRAME.output)], /of 4294967295 bytes/],
    ['a result of 1 MB', [READY, header(1_000_000, FRAME.result)], /of 1000000 bytes/],
    ['empty output', [READY, output('')], /output without a byte/],
    ['too much output', [READY, output('x'.repeat(65_536)), output('x')], /more output than 65536/],
    ['output after a file', [READY, artefact('a'), output('x')], /type 21 when it may not/],
    [
      'a file after the result',
      [READY, Buffer.concat([finished(0), artefact('a')])],
      /type 20 when it may not/,
    ],
    ['two results at once', [READY, Buffer.concat([finished(0), finished(0)])], /type 22 when/],
    ['a file without a name', [READY, artefact('')], /file without a name/],
    [
      'a name longer than its frame',
      [READY, header(2, FRAME.artefact), Buffer.from([9, 9])],
      /without a name/,
    ],
    ['a name that is a path', [READY, artefact('../../x')], /"..\/..\/x", which is no name/],
    ['a name with a backslash', [READY, artefact('a\\b')], /which is no name/],
    ['a name with a line break', [READY, artefact('a\nb')], /which is no name/],
    ['a name with a zero', [READY, artefact('a\0b')], /which is no name/],
    ['the name of the folder above', [READY, artefact('..')], /which is no name/],
    ['a very long name', [READY, artefact('n'.repeat(201))], /which is no name/],
    ['two files of one name', [READY, artefact('a'), artefact('a')], /two files called "a"/],
    ['too many files', [READY, ...manyFiles], /more or larger files/],
    [
      'a file that is too large',
      [READY, artefact('a', Buffer.alloc(10_000_001))],
      /more or larger/,
    ],
    ['too many bytes', [READY, ...['a', 'b', 'c'].map((name) => artefact(name, large))], /more or/],
    ['fewer files than it says', [READY, artefact('a'), finished(2)], /another number of files/],
    ['a result that is no JSON', [READY, encodeFrame(FRAME.result, Buffer.from('{'))], /none/],
    ['a result that is null', [READY, result(null)], /a result that is none/],
    ['a result without an end', [READY, result({ isOutputCut: false, files: 0 })], /none/],
    [
      'a result of other types',
      [READY, result({ raised: 1, isOutputCut: false, files: 0 })],
      /none/,
    ],
  ])('%s', (_what, chunks, reason) => {
    const heard = hear(...chunks);

    expect(heard.problem).toMatch(reason);
    expect(heard.result).toBeNull();
  });
});

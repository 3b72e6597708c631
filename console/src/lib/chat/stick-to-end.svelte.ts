const NEAR_PX = 80;

/** Keeps the end of a growing column in view, unless the reader has scrolled away from it. */
export class StickToEnd {
  isAway = $state(false);
  #box: HTMLElement | null = null;

  readonly attach = (box: HTMLElement): (() => void) => {
    this.#box = box;
    const onScroll = (): void => {
      this.isAway = box.scrollHeight - box.scrollTop - box.clientHeight > NEAR_PX;
    };
    const observer = new ResizeObserver(() => {
      if (!this.isAway) this.toEnd();
    });
    box.addEventListener('scroll', onScroll, { passive: true });
    observer.observe(box);
    if (box.firstElementChild) observer.observe(box.firstElementChild);
    return () => {
      box.removeEventListener('scroll', onScroll);
      observer.disconnect();
    };
  };

  /** Adds lines above without moving those that are being read. */
  async keepPlace(addAbove: () => Promise<void>): Promise<void> {
    const box = this.#box;
    const below = box === null ? 0 : box.scrollHeight - box.scrollTop;
    await addAbove();
    if (box !== null) box.scrollTop = box.scrollHeight - below;
  }

  toEnd(): void {
    this.isAway = false;
    if (this.#box) this.#box.scrollTop = this.#box.scrollHeight;
  }
}

const NEAR_PX = 80;

/** Keeps the end of a growing column in view, unless the reader has scrolled away from it. */
export class StickToEnd {
  isAway = $state(false);
  #box: HTMLElement | null = null;

  readonly attach = (box: HTMLElement): (() => void) => {
    this.#box = box;
    let lastTop = box.scrollTop;
    const onScroll = (): void => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR_PX;
      // The column may have grown since the scroll that this event tells of: only a way up leads away.
      if (isNear) this.isAway = false;
      else if (box.scrollTop < lastTop) this.isAway = true;
      lastTop = box.scrollTop;
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

/** A pause that ends early when it is woken, also when it was woken before it began. */
export class WakeablePause {
  #wake: (() => void) | undefined;
  #woken = false;

  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  async wait(milliseconds: number): Promise<void> {
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#woken = false;
    this.#wake = undefined;
  }
}

/** Counts, for each field, the values of rows and keeps those of which something is to be told. */
export class Tally<One = string> {
  readonly #fields = new Map<string, { all: number; readonly told: One[] }>();

  add(name: string, told: One | undefined): void {
    const field = this.#fields.get(name) ?? { all: 0, told: [] };
    this.#fields.set(name, field);
    field.all += 1;
    if (told !== undefined) field.told.push(told);
  }

  /** The sentence about each field of which some values are told, if it has one. */
  explain(
    toText: (name: string, first: One, told: readonly One[], all: number) => string | undefined,
  ): string[] {
    return [...this.#fields].flatMap(([name, { all, told }]) => {
      const [first] = told;
      return first === undefined ? [] : (toText(name, first, told, all) ?? []);
    });
  }
}

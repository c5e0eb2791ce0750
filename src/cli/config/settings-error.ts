/** A setting that cannot be used: which, where it came from, what it takes. */
export class SettingsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SettingsError';
  }
}

/** The embedded service, started by the first request or by whoever wants it before: much is answered without it. */
import type { Settings } from '../config/load.ts';
import type { EmbeddedService } from './embedded.ts';

export class LateService {
  readonly #settings: Settings;
  readonly #listeners = new Set<() => void>();
  #starting: Promise<EmbeddedService> | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Rejects with what kept it from starting; the next call tries again. */
  start(): Promise<EmbeddedService> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  async #start(): Promise<EmbeddedService> {
    const { startEmbeddedService } = await import('./embedded.ts');
    const service = await startEmbeddedService(this.#settings);
    const notify = () => {
      for (const listener of this.#listeners) listener();
    };
    service.onCatalogChange(notify);
    // Changes made before this process ran are in no snapshot yet.
    notify();
    return service;
  }

  /** Calls the listener when the service has started, and when what it offers changes; returns how to stop that. */
  onCatalogChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await (await this.#starting?.catch(() => undefined))?.close();
  }
}

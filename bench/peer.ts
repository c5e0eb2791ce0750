/** A server under measurement and the lightest client for it. */
export interface Peer {
  /** Resolves to the JSON text of the answer. */
  request(method: string, params?: object): Promise<string>;
  readonly pid: number | undefined;
  close(): Promise<void>;
}

/** What is known of batches without the store. */
export const batchPrefix = 'batch-';
export const isBatchId = (id: string): boolean => id.startsWith(batchPrefix);

/** How often the runner of a batch renews its lease. */
export const renewMs = 5_000;

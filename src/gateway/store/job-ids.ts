/** The id of a job that has none of the service's: a sync action's, or one whose submission is not answered yet. */
export const ownJobId = (intentId: string) => `local-${intentId}`;
export const toIntentId = (jobId: string) =>
  jobId.startsWith('local-') ? jobId.slice('local-'.length) : undefined;

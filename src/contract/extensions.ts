/** What a service may offer beyond the specification. It lists the names in the response header `Svc-Extensions`. */

export const extensionsHeader = 'Svc-Extensions';

/** The extensions of the embedded service: add a name here when the service implements it. */
export const extensions = [
  'idempotency',
  'usage',
  'build-preview',
  'build-choice',
  'build-name',
  'action-edit',
  'credential-user',
  'cost-bound',
] as const;

/**
 * Extension `idempotency`: POST /task and POST /build-request with the same key and body are carried out once, and
 * the repeat is answered with the job or build of the first request.
 */
export const idempotencyHeader = 'Idempotency-Key';

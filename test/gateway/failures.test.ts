import { expect, it } from 'vitest';
import { ContractError, TimeoutError, UnreachableError } from '../../src/client/errors.ts';
import { toGatewayError } from '../../src/gateway/foundation/failures.ts';

it.each([
  [new TimeoutError('listIdentities', 'maybe', 5_000), '(GET /identities, 5 s)'],
  [new UnreachableError('submitTask', 'No connection'), '(POST /task)'],
  [new ContractError('getJob', 200, 'no JSON'), '(GET /jobs/{id}, HTTP 200)'],
])('an endpoint is named as the specification does, not as the code: %s', (error, named) => {
  expect(toGatewayError(error).message).toContain(named);
});

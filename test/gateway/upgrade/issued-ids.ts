/** Every id that the earlier version gave out, by the names of the calls in `calls.ts`. */

/** Jobs of runs. */
export const jobs = {
  delivered: '080fff12-e356-4374-ae35-dfd886e620e3',
  deliveredInline: 'local-997b162e-ae51-4a0f-bd6b-74f8457d8382',
  finished: 'cacc5a30-90f2-4f8b-aa54-aa64e2e8fa84',
  finishedInline: 'local-1b716656-6790-4f66-b381-8a714a4939b0',
  finishedLarge: '03a1635e-b606-44af-b9fa-c71a50f2c379',
  finishedComputed: 'b12e1083-41c7-47b3-ac37-b26d0c1f38e8',
  finishedOfAccount: 'dcfe1b42-6793-442f-acd5-cad4cdc5216c',
  unconfirmed: '14926c7b-cdd8-48dd-b741-a6bdf46749b8',
  finishedByTask: '99635a7d-528d-4921-aaaf-f2e5b3c8dfd4',
  underWay: 'bef7fec0-049a-49aa-b1d5-f3e3ca62fb41',
  underWayByTask: '81724557-5210-4bf4-b706-0fae5d57e82d',
  givenUp: 'd5e1ed9b-0a99-4992-9e10-8774feafad9d',
  lost: '0d5f1746-625e-4028-8047-c7cb64774a6d',
  lostAndTold: 'd048fad3-c2c2-471a-ba49-1e269575d5ae',
  refused: 'local-9c69dd6d-b14c-4276-866d-1438fd95b99b',
  unknown: 'local-c565948c-f377-4998-91dd-459e9d35710f',
  unknownWithKey: 'local-8eb42ef1-36ba-4949-9b35-71cdb71c4fce',
  unknownInBatch: 'local-048e8647-4c7c-4e3a-a183-c43a72c7d486',
  intended: 'local-35ad78ba-7b45-477c-ba15-7581235ef6e3',
  intendedWithKey: 'local-ebd278af-2813-4b9b-97e4-891e5abe70f1',
};

/** Jobs of the inputs of batches. */
export const inputJobs = {
  'delivered 1': '91c80879-1c6b-47f3-b9bb-d790c589322c',
  'delivered 2': '9486536c-5b01-4093-b123-5f1de49bef2d',
  'ended 1': 'eebe0076-cf74-422d-8be3-1ac4170161bf',
  'ended 2': 'e71db0b8-fe49-408b-bfc0-86e481ab5c1f',
  'linked 1': 'acd29a67-5cac-4941-98dc-c0967e85b146',
  'linked 2': 'd670befc-98ff-490f-9d65-9cba9e7f8b23',
  'gate failed and linked': '3687bbf9-92fd-4a4a-bdb4-745398494289',
  'slow 1': '4e543688-1505-4f7e-bd22-2d374c528e08',
  'slow 2': 'add5fef7-5ec9-425f-bf1f-35a679a25142',
  'slow 3': '26861cf4-e786-41e3-af96-335132746815',
  'slow 4': '1661ae07-e419-429f-9962-7731e517db83',
  intended: 'local-af9ec97d-67c5-4374-a774-77751dba2f9a',
};

/** The ids of the service. */
export const builds = {
  finished: 'c6b3c3c3-1b2e-4924-8e1a-f4590fd00ccd',
  pending: 'e358eb36-8dc1-44db-a02e-b03d7c4b5ced',
  inDoubt: '0a1d95ad-8f51-496e-a348-be75344ae584',
};

/** What the list of jobs showed for the build in doubt. */
export const buildInDoubt = 'local-b4f47bb8-03e1-42c2-94db-c2c1958b332d';

export const batches = {
  delivered: 'batch-2e8520f2-452b-4ab9-bcfb-0e90ffde9a4e',
  ended: 'batch-1058cbe5-ecf7-42dc-814a-ac96a6c608f9',
  halfDone: 'batch-1605b18c-0f90-4bdf-861e-e5caa1d8a6cd',
};

export const tasks = {
  finished: 'MXYPU0yb1XY6RlzmsyKVrym0',
  underWay: 'szFz9dVvzV8dwtlt1PRXyWcl',
  givenUp: 'cZQcSfHaaan8xj0Jk6spvglE',
  ended: '_HSUHJJXii6Y6e9dnbJDwMCd',
  halfDone: 'Jghv9MVjZZcN0ZnSw5KzX0RQ',
  build: 'vG8wL8ROzcGF8_OW31FVdPGB',
};

/** A job of another principal with the same service key. */
export const jobOfOther = '35c76a3a-aede-4594-95c1-4cd09d13fd6b';

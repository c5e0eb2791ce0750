import type { Logger } from 'pino';
import type { EncryptionKeys } from '../../store/encryption-keys.ts';
import type { CrashHook } from '../crash-points.ts';
import type { ServiceDatabase } from '../database/schema.ts';
import type { JobLoop } from '../jobs/job-loop.ts';
import type { Publication } from '../listing/publication.ts';
import type { LoginRunner } from '../ports.ts';

/** What the operations work with. */
export interface Context {
  readonly database: ServiceDatabase;
  readonly publication: Publication;
  readonly jobs: JobLoop;
  /** Undefined: this service signs in nowhere. */
  readonly logins: LoginRunner | undefined;
  /** Origins that may be built for although their addresses are not public: one's own. */
  readonly allowedOrigins: readonly string[];
  /** Domains that nothing is built for, subdomains included, as they are at this moment. */
  readonly blockedDomains: () => Promise<ReadonlySet<string>>;
  readonly keys: EncryptionKeys;
  readonly logger: Logger;
  /** `/v1/svc`, unless it is set otherwise. */
  readonly apiPrefix: string;
  /** Aborted when the service stops. */
  readonly stopped: AbortSignal;
  readonly crashPoint: CrashHook;
}

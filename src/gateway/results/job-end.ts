/** How a job ended, also in a state that this program does not know. */
import type { Job } from '../../contract/resources.ts';
import { cleanText } from '../foundation/text.ts';

/**
 * Undefined while it runs. A state that is new to us is an end where the answer has an error or data; otherwise it is one
 * of a job that is under way (specification: Job).
 */
export function getEnd({ status, data, error }: Job): 'completed' | 'failed' | undefined {
  if (status === 'completed' || status === 'failed') return status;
  if (status === 'processing') return undefined;
  if (error !== undefined) return 'failed';
  return data === undefined || data === null ? undefined : 'completed';
}

/** The service's own word for a state that is new to us. */
export const serviceStatus = ({ status }: Job): { service_status?: string } =>
  ['completed', 'failed', 'processing'].includes(status) ? {} : { service_status: cleanText(status, 60) };

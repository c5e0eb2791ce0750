/** How a job ended, also in a state that this program does not know. */
import type { Job } from '../../contract/resources.ts';
import { cleanText } from '../foundation/text.ts';

/**
 * Undefined while it runs. An unknown status means ended if the answer has data or an error, else still running
 * (specification: Job).
 */
export function getEnd({ status, data, error }: Job): 'completed' | 'failed' | undefined {
  if (status === 'completed' || status === 'failed') return status;
  if (status === 'processing') return undefined;
  if (error !== undefined) return 'failed';
  return data === undefined || data === null ? undefined : 'completed';
}

/** The service's own word for an unknown status. */
export const serviceStatus = ({ status }: Job): { service_status?: string } =>
  ['completed', 'failed', 'processing'].includes(status) ? {} : { service_status: cleanText(status, 60) };

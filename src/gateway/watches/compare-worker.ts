/** The process in which versions are compared. */
import { serveTasks } from '../../workers/serve-tasks.ts';
import { compareVersions } from './compare-versions.ts';

serveTasks(compareVersions);

/** The process in which results are read: an expression may cost any time and memory. */
import { serveTasks } from '../../workers/serve-tasks.ts';
import { toView } from './view.ts';

serveTasks(toView);

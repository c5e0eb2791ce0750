/** The process in which pages are analyzed. */
import { serveTasks } from '../../../workers/serve-tasks.ts';
import { analyze } from './analyze.ts';

serveTasks(analyze);

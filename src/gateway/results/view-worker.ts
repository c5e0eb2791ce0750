/** The process in which results are read: an expression may cost any time and memory. */
import { serveTasks } from '../../workers/serve-tasks.ts';
import { toView, type ViewTask } from './view.ts';
import { readWhole, type WholeTask } from './whole-answer.ts';

serveTasks((task: ViewTask | WholeTask) => ('kind' in task ? readWhole(task) : toView(task)));

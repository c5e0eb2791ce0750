/** The process in which pages are parsed. */
import { serveTasks } from '../../workers/serve-tasks.ts';
import { parse } from './parse.ts';

serveTasks(parse);

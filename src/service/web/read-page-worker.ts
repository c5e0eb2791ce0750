/** The process in which pages of the web are read. */
import { serveTasks } from '../../workers/serve-tasks.ts';
import { readPage } from './read-page.ts';

serveTasks(readPage);

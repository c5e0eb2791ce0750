/** The process in which pages are read, because a page can be hostile. */
import { serveTasks } from '../../workers/serve-tasks.ts';
import { readPage } from './read-page.ts';

serveTasks(readPage);

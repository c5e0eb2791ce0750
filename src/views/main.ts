/** The page of every view: the server says which one it shows. */
import { buildView } from './build-view.ts';
import { startView } from './host.ts';
import { resultView } from './result-view.ts';
import { usageView } from './usage-view.ts';
import { watchesView } from './watches-view.ts';

const views = [buildView, resultView, usageView, watchesView];
const view = views.find(({ name }) => name === document.documentElement.dataset.view);
if (view !== undefined) void startView(view);

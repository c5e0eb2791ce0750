/** Skills through the protocol library's own reader of them, and through clients that know only resources. */
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { afterEach, describe, expect, it } from 'vitest';
import { callContext, closeGateways, openGateway, startGateway } from '../../support/gateway.ts';
import { connectPiped, endAllPipes, modeOf } from '../../support/mcp-pipe.ts';

afterEach(async () => {
  await endAllPipes();
  await closeGateways();
});

const uri = 'skill://svc/shop/SKILL.md';
const parameters = {
  type: 'object',
  properties: {
    tag: { type: 'string', examples: ['wit'] },
    pages: { type: 'integer', default: 2 },
    free: { type: 'string' },
  },
  required: ['tag'],
};
const job = (params: unknown) => {
  const { tag } = Object(params);
  if (tag === 'broken') return { error: { code: 'EXECUTION_FAILED', message: 'No' } };
  // What the caller named is not there: no fault of the action.
  if (tag === 'gone')
    return { error: { code: 'EXECUTION_FAILED', message: 'No such page', reason: 'page_missing' } };
  return { data: { items: tag === 'wit' ? [{ text: 'A' }] : [] } };
};
const script = {
  otherKeys: ['another-key'],
  catalogs: [
    { slug: 'shop', name: 'The "Shop": <b>best</b>\n---' },
    { slug: 'other_shop', name: 'No name of a skill' },
  ],
  actions: [
    { action_id: 'shop-find', catalog_slug: 'shop', name: 'Find', credits: 3, parameters, job },
    { action_id: 'shop-orders', catalog_slug: 'shop', name: 'Orders', auth_mode: 'required' },
    { action_id: 'other-list', catalog_slug: 'other_shop' },
  ],
};

async function start() {
  const started = await startGateway(script);
  const { client } = await connectPiped(started.gateway, modeOf('stateless'));
  const skills = new SkillsClient(client);
  const read = async () => {
    const { skill } = await skills.get(uri);
    const file = await skills.read(skill, 'SKILL.md');
    return 'text' in file ? String(file.text) : '';
  };
  return { ...started, client, skills, read };
}

describe('the skill of a website', () => {
  it('is listed, and its file has the frontmatter that the list has', async () => {
    const { skills } = await start();
    const listed = await skills.list();
    expect(listed).toMatchObject({
      invalid: [],
      skills: [{ uri, resources: 'dynamic', frontmatter: { name: 'shop' } }],
    });
    const [skill] = listed.skills;
    expect(skill?.frontmatter.description).toContain(`of "The 'Shop': best ---" (shop): "Find, Orders".`);
    // The reader refuses a file whose frontmatter differs.
    expect(skill && (await skills.read(skill, 'SKILL.md'))).toBeDefined();
  });

  it('names prices, accounts and calls that work', async () => {
    const text = await (await start()).read();
    expect(text).toContain('Costs 3 credits');
    expect(text).toContain('Calls: `shop-find {"tag":"wit"}` or `shop-find {"tag":"wit","pages":2}`.');
    expect(text).toContain('login {"catalog":"shop"}');
    expect(text).toMatch(/## shop-orders\n\n.*Needs a sign-in/);
    expect(text).not.toContain('Newest runs');
  });

  it('advises no login where no action takes an account', async () => {
    const actions = [{ action_id: 'shop-find', catalog_slug: 'shop' }];
    const { gateway } = await startGateway({ ...script, actions });
    const { client } = await connectPiped(gateway, modeOf('stateless'));
    const { contents } = await client.readResource({ uri });
    expect(JSON.stringify(contents)).toContain('None of its actions takes an account.');
    expect(JSON.stringify(contents)).not.toContain('login');
  });

  it('says how the newest runs ended, and nothing of those of others', async () => {
    const { gateway, upstream, folder, read } = await start();
    for (const tag of ['wit', 'Wit', 'broken', 'gone'])
      await gateway.runAction({ action_id: 'shop-find', params: { tag } }, callContext());
    expect(await read()).toMatch(
      /Newest runs of yours: 2 completed, usually in \d.* s, at most \d.* s; 1 of them had no rows; 1 failed\./,
    );
    const other = openGateway(upstream, folder, {}, 'another-key').gateway;
    const [shop] = (await other.guide('shop'))?.actions ?? [];
    expect(shop).toMatchObject({ actionId: 'shop-find', runs: undefined });
  });
});

it('clients without the extension read it as a resource', async () => {
  const { gateway } = await startGateway(script);
  const { client } = await connectPiped(gateway, 'legacy');
  const { resources } = await client.listResources();
  expect(resources).toContainEqual(expect.objectContaining({ uri, mimeType: 'text/markdown' }));
  expect((await client.readResource({ uri })).contents).toMatchObject([
    { uri, text: expect.stringMatching(/^---\nname: shop\n/) },
  ]);
  for (const unknown of ['skill://svc/nowhere/SKILL.md', 'skill://svc/other_shop/SKILL.md', 'skill://x/y'])
    await expect(client.readResource({ uri: unknown })).rejects.toThrow();
});

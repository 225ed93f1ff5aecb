import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { addUser } from '../../../../test/callers.ts'
import { type Json, readRecording } from '../../../../test/mautic-double/recordings.ts'
import {
  callWebhook,
  changesOf,
  connectMautic,
  createChange,
  synchronizeMautic,
  useMauticDouble,
} from '../../../../test/mautics.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import { listMauticProblems } from '../status.ts'
import { openStoredSecrets } from '../stored-secrets.ts'
import type { MauticTables } from '../table.ts'
import { WebhookStore } from './webhook-store.ts'

const subscription = 'mautic.lead_channel_subscription_changed'
/** All that a role needs to create a webhook again. */
const allRights = ['viewother', 'create', 'publishother', 'deleteown', 'deleteother']

onEachDatabase('the webhook that Mailyard creates in a Mautic', { isStarted: false }, (shared) => {
  const double = useMauticDouble()
  let base: string
  const { ask, askFor } = shared
  before(async () => {
    base = await shared.service.listen()
  })
  beforeEach(() => double.data.hooks.clear())

  const connect = async (login: object = double.client): Promise<number> =>
    (await connectMautic(shared.service, { url: double.url, client: login as never })).id
  const create = (id: number, body: object = {}) =>
    ask('POST', `/api/mautics/${id}/webhook`, { url: base, ...body })
  const connectWithWebhook = async (login?: object) => {
    const id = await connect(login)
    const { webhook } = await askFor('POST', `/api/mautics/${id}/webhook`, { url: base })
    const hook = hookOf(webhook.id)
    return { id, hook, secret: hook.secret }
  }
  const hookOf = (id: number): Json => double.data.hooks.get(id)
  const hooks = (): Json[] => [...double.data.hooks.values()]
  const synchronize = (id: number) => synchronizeMautic(shared.service, id)
  const statusOf = async (id: number) => (await ask('GET', `/api/mautics/${id}`)).body.mautic.status
  const problemOf = async (id: number): Promise<string | null> =>
    (await statusOf(id)).webhook.problem

  test('sends changes of Do not contact only, with a secret that is stored encrypted and never shown', async () => {
    const id = await connect()
    const answer = await create(id)
    const [hook] = hooks()
    const url = `${base}/webhooks/mautic/${id}`
    assert.deepEqual(answer.body.webhook, { id: hook.id, url, isNew: true })
    assert.deepEqual([hook.webhookUrl, hook.triggers], [url, [subscription]])
    const db = shared.service.app.storage.tables<MauticTables>()
    const row = await db.selectFrom('mautics').selectAll().where('id', '=', id).executeTakeFirst()
    assert.ok(row?.webhook_secret)
    const shown = (await ask('GET', `/api/mautics/${id}`)).text
    for (const text of [row.webhook_secret, shown, answer.text, ...shared.service.logged])
      assert.equal(text.includes(hook.secret), false)
  })

  test('has an owner where a user is logged in, and says what it means where it has none', async () => {
    const byClient = await create(await connect())
    assert.match(byClient.body.warnings[0], /has no owner/)
    const byUser = await create(await connect(double.administrator))
    assert.equal(byUser.body.warnings, undefined)
    assert.deepEqual(
      hooks().map(({ createdBy }) => createdBy),
      [null, 1],
    )
  })

  test('is not created where its address does not lead to this Mailyard, unless that is accepted', async () => {
    const id = await connect()
    for (const url of ['http://127.0.0.1:1', double.url]) {
      assert.equal((await create(id, { url })).status, 503)
    }
    assert.deepEqual([hooks(), (await statusOf(id)).webhook], [[], null])
    const accepted = await create(id, { url: double.url, acceptsUnproven: true })
    assert.equal(accepted.body.webhook.url, `${double.url}/webhooks/mautic/${id}`)
    assert.equal((await statusOf(id)).webhook.acceptsUnproven, true)
  })

  test('has an address that proves nothing to a client that signs with its answers', async () => {
    const { id, secret } = await connectWithWebhook()
    const path = `/webhooks/mautic/${id}`
    const get = (query: string) => ask('GET', `${path}?${query}`, undefined, { as: 'anonymous' })
    const answer = await get(`challenge=${'a'.repeat(32)}`)
    assert.match(answer.body.answer, /^[0-9a-f]{64}$/)
    assert.equal(answer.text.includes(secret), false)
    assert.equal((await get('challenge={}')).status, 400)
    const headers = {
      'webhook-signature': Buffer.from(answer.body.answer, 'hex').toString('base64'),
    }
    const body = `challenge ${'a'.repeat(32)}`
    const posted = await ask('POST', path, body, { as: 'anonymous', headers })
    assert.notEqual(posted.status, 200)
  })

  test('that is there already is used, and a changed one is deleted when it is created again', async () => {
    const id = await connect()
    const first = (await create(id)).body.webhook
    assert.deepEqual((await create(id)).body.webhook, { ...first, isNew: false })
    hookOf(first.id).isPublished = false
    const again = (await create(id)).body.webhook
    assert.equal(again.isNew, true)
    assert.deepEqual(
      hooks().map((hook) => hook.id),
      [again.id],
    )
  })

  test('that was unpublished, changed or deleted in Mautic stays so, and is created again as it was', async () => {
    const changes: [problem: RegExp, change: (hook: Json) => void][] = [
      [/is unpublished/, (hook) => Object.assign(hook, { isPublished: false })],
      [/was changed/, (hook) => Object.assign(hook, { webhookUrl: 'https://elsewhere.example/' })],
      [/was changed/, (hook) => Object.assign(hook, { secret: 'another' })],
      [/does not send the events/, (hook) => Object.assign(hook, { triggers: [] })],
      [
        /was changed/,
        (hook) => Object.assign(hook, { triggers: [subscription, 'mautic.email_on_open'] }),
      ],
      [/calls Mailyard for each/, (hook) => hook.triggers.push('mautic.email_on_send')],
      [/was deleted in Mautic/, (hook) => double.data.hooks.delete(hook.id)],
    ]
    for (const [problem, change] of changes) {
      double.data.hooks.clear()
      const { id, hook, secret } = await connectWithWebhook()
      change(hook)
      const before = structuredClone(hooks())
      await synchronize(id)
      assert.match((await problemOf(id)) ?? '', problem)
      assert.deepEqual(hooks(), before)
      const again = await askFor('POST', `/api/mautics/${id}/webhook`, {})
      assert.equal(await problemOf(id), null)
      const { webhookUrl, isPublished, triggers, ...created } = hookOf(again.webhook.id)
      assert.deepEqual(
        [webhookUrl, created.secret, isPublished, triggers],
        [`${base}/webhooks/mautic/${id}`, secret, true, [subscription]],
      )
    }
  })

  test('is created again with all that it was created with', async () => {
    const id = await connect()
    await create(id, { url: double.url, acceptsUnproven: true })
    double.data.hooks.clear()
    assert.equal((await ask('POST', `/api/mautics/${id}/webhook`, {})).status, 200)
    const { url, acceptsUnproven } = (await statusOf(id)).webhook
    assert.deepEqual([url, acceptsUnproven], [`${double.url}/webhooks/mautic/${id}`, true])
  })

  test('without an owner is a problem once the Mautic is connected as a user', async () => {
    const { id } = await connectWithWebhook()
    const { username, password } = double.administrator
    const login = { clientId: null, clientSecret: null, username, password }
    const edited = await ask('PATCH', `/api/mautics/${id}/edit`, login)
    assert.match(edited.body.mautic.warnings.at(-1), /^Webhook \d+ has no owner/)
    const before = await problemOf(id)
    assert.match(before ?? '', /has no owner\. Create it again/)
    await synchronize(id)
    assert.equal(await problemOf(id), before)
    await ask('POST', `/api/mautics/${id}/webhook`, {})
    const owners = hooks().map(({ createdBy }) => createdBy)
    assert.deepEqual([owners, await problemOf(id)], [[1], null])
  })

  test('of another Mailyard with the same path is left alone', async () => {
    const { id, hook } = await connectWithWebhook()
    const other = {
      ...hook,
      id: 900,
      secret: 'theirs',
      webhookUrl: `https://other.example/webhooks/mautic/${id}`,
    }
    double.data.hooks.set(900, other)
    hook.isPublished = false
    await create(id)
    assert.equal((await ask('DELETE', `/api/mautics/${id}/webhook/delete`)).status, 200)
    assert.deepEqual(hooks(), [other])
  })

  test('with a problem is in the list and among the findings, until it is right again', async () => {
    const { id, hook } = await connectWithWebhook()
    hook.isPublished = false
    await synchronize(id)
    const list = (await ask('GET', '/api/mautics?with=status')).body.mautics
    const [listed] = list.filter((each: Json) => each.id === id)
    assert.match(listed.status.webhook.problem, /unpublished/)
    const findings = (await ask('GET', '/api/health/findings')).text
    assert.ok(findings.includes(`The webhook of \\"${listed.name}\\"`), findings)
    hook.isPublished = true
    await synchronize(id)
    const problems = await listMauticProblems(shared.service.app.storage, 'mautic_webhooks')
    assert.ok(problems.every(({ name }) => name !== listed.name))
  })

  test('does not delete another webhook that has its id since Mautic was restored', async () => {
    const { id, hook } = await connectWithWebhook()
    const other = { ...hook, webhookUrl: 'https://crm.example/hook', secret: 'theirs' }
    double.data.hooks.set(hook.id, other)
    await create(id)
    assert.deepEqual([hooks().length, hooks()[0]], [2, other])
    assert.equal((await ask('DELETE', `/api/mautics/${id}/delete`)).status, 200)
    assert.deepEqual(hooks(), [other])
  })

  test('is judged by what Mautic sends: not known until the first change, and one that never comes is a problem', async () => {
    const { id, secret } = await connectWithWebhook()
    const examine = async () => {
      const { stages } = (await ask('POST', `/api/mautics/${id}/check`)).body
      return stages.at(-1)
    }
    /** A contact is put on the list of Mautic, and the list is read. */
    const list = async (contactId: number) => {
      const at = new Date(shared.clock.now() + 1_000).toISOString().slice(0, 19).replace('T', ' ')
      double.data.doNotContact.push({
        ...{ id: String(contactId), lead_id: String(contactId), channel: 'email' },
        ...{ reason: '1', date_added: at, comments: '' },
      })
      await synchronize(id)
    }
    const arrive = async (contactId: number) => {
      const values = { status: 'unsubscribed', at: shared.clock.now() + 1_000, contactId }
      const body = changesOf(createChange(`c${contactId}@rcpt.test`, values))
      assert.equal((await callWebhook(shared.service, { id, secret }, body)).status, 200)
    }
    const fresh = await examine()
    assert.equal(fresh.outcome, 'ok')
    assert.match(fresh.detail, /not known yet whether Mautic reaches it/i)
    assert.match(fresh.hint, /webhook_allowed_private_addresses/)
    await synchronize(id)
    await list(21)
    assert.equal(await problemOf(id), null, 'it may come a little later')
    shared.clock.advance(3_600_000)
    await synchronize(id)
    const silent = (await problemOf(id)) ?? ''
    assert.match(silent, /has not come.*webhook_allowed_private_addresses/)
    const failed = await examine()
    assert.deepEqual([failed.outcome, failed.detail], ['failed', silent])
    await arrive(21)
    await synchronize(id)
    assert.equal(await problemOf(id), null)
    // Mailyard does not reach it from here, which counts for nothing now.
    const stored = shared.service.app.storage.tables<MauticTables>().updateTable('mautic_webhooks')
    const url = `http://127.0.0.1:1/webhooks/mautic/${id}`
    await stored.set({ url }).where('mautic_id', '=', id).execute()
    hooks()[0].webhookUrl = url
    const works = await examine()
    assert.deepEqual([works.outcome, works.hint], ['ok', null])
    assert.match(works.detail, /Mautic has sent changes/)
    assert.notEqual((await statusOf(id)).webhook.dateLastChange, null)
    await arrive(22)
    await list(22)
    shared.clock.advance(3_600_000)
    await synchronize(id)
    assert.equal(await problemOf(id), null, 'what has come is not waited for')
    await list(23)
    shared.clock.advance(3_600_000)
    await synchronize(id)
    assert.match((await problemOf(id)) ?? '', /has not come/)
    double.data.doNotContact = []
  })

  test('has no problem because Mautic does not work at the moment', async () => {
    const { id } = await connectWithWebhook()
    double.behaviour.fault = ({ path }) => (path.startsWith('/api/hooks') ? 503 : undefined)
    await synchronize(id)
    assert.equal(await problemOf(id), null)
    double.behaviour.fault = ({ path }) => (path.startsWith('/api/hooks') ? 403 : undefined)
    await synchronize(id)
    assert.match((await problemOf(id)) ?? '', /403.*role that may do this/)
  })

  test('that Mautic creates unpublished is a fault with the right that is missing, and does not remain', async () => {
    double.behaviour.rights = { 'webhook:webhooks': ['viewother', 'create', 'deleteown'] }
    const id = await connect(double.limited)
    const { status, body } = await create(id)
    assert.equal(status, 503)
    assert.match(body.error, /unpublished.*publishother/)
    assert.deepEqual(hooks(), [])
  })

  test('names each one that remains because the role lacks Delete Own, until it may delete them', async () => {
    const others = allRights.filter((right) => right !== 'deleteown')
    double.behaviour.rights = { 'webhook:webhooks': others }
    const { id, hook: first } = await connectWithWebhook(double.limited)
    first.isPublished = false
    const [warning] = (await create(id)).body.warnings
    assert.match(warning, new RegExp(`webhook ${first.id} to ${base}.*403.*deleteown`))
    const [, second] = hooks()
    await synchronize(id)
    assert.match(
      (await problemOf(id)) ?? '',
      new RegExp(`former webhook .*remains: webhook ${first.id} to `),
    )
    const both = new RegExp(`webhook ${first.id} to .*webhook ${second.id} to .*deleteown`)
    const refused = await ask('DELETE', `/api/mautics/${id}/webhook/delete`)
    assert.equal(refused.status, 503)
    assert.match(refused.body.error, both)
    assert.notEqual((await statusOf(id)).webhook, null)
    double.behaviour.rights = { 'webhook:webhooks': allRights }
    assert.equal((await create(id)).body.warnings, undefined)
    assert.deepEqual(hooks(), [second])
    await synchronize(id)
    assert.equal(await problemOf(id), null)
  })

  test('is named with all former ones when the connection is deleted, and others are deleted', async () => {
    const others = allRights.filter((right) => right !== 'deleteown')
    double.behaviour.rights = { 'webhook:webhooks': others }
    const { id, hook: first } = await connectWithWebhook(double.limited)
    const { hostname } = new URL(base)
    const moved = await create(id, { url: base.replace(hostname, 'localhost') })
    assert.equal(moved.status, 200, moved.text)
    const [, second] = hooks()
    const ownerless = { ...first, id: 900, createdBy: null }
    double.data.hooks.set(900, ownerless)
    const { body } = await ask('DELETE', `/api/mautics/${id}/delete`)
    assert.match(body.message, new RegExp(`webhook ${first.id} to .*webhook ${second.id} to `))
    assert.deepEqual(hooks(), [first, second])
  })

  test('is created and deleted by administrators only, and a refusal of Mautic is explained', async () => {
    const id = await connect(double.limited)
    const { as } = await addUser(shared.service, { api: ['full'] })
    assert.equal((await ask('POST', `/api/mautics/${id}/webhook`, {}, { as })).status, 403)
    const removal = await ask('DELETE', `/api/mautics/${id}/webhook/delete`, undefined, { as })
    assert.equal(removal.status, 403)
    const refused = await create(id)
    assert.equal(refused.status, 503)
    assert.match(refused.body.error, /403.*role that may do this/)
    assert.equal((await create(987_654)).status, 404)
  })

  test('is deleted here and in Mautic, and is not created again', async () => {
    const { id } = await connectWithWebhook()
    const url = `/api/mautics/${id}/webhook/delete`
    await double.stop()
    assert.equal((await ask('DELETE', url)).status, 503)
    await double.start()
    assert.notEqual((await statusOf(id)).webhook, null)
    assert.equal((await ask('DELETE', url)).status, 200)
    await synchronize(id)
    assert.deepEqual([hooks(), (await statusOf(id)).webhook], [[], null])
    assert.equal((await ask('DELETE', url)).status, 200)
  })

  test('is deleted before its connection, and one that remains is named', async () => {
    const { id } = await connectWithWebhook()
    await askFor('DELETE', `/api/mautics/${id}/delete?dryRun=1`)
    assert.equal(hooks().length, 1)
    await askFor('DELETE', `/api/mautics/${id}/delete`)
    assert.deepEqual(hooks(), [])
    const { id: other, hook } = await connectWithWebhook()
    await double.stop()
    const { body } = await ask('DELETE', `/api/mautics/${other}/delete`)
    await double.start()
    assert.match(body.message, new RegExp(`webhook ${hook.id} to .*any former one`))
    assert.equal((await ask('GET', `/api/mautics/${other}`)).status, 404)
  })

  test('is kept where the deletion of its connection is refused', async () => {
    const { id, hook } = await connectWithWebhook()
    const headers = { 'if-match': '"999"' }
    const refused = await ask('DELETE', `/api/mautics/${id}/delete`, undefined, { headers })
    assert.ok([409, 412].includes(refused.status), refused.text)
    const atomic = await ask('DELETE', `/api/mautics/batch/delete?ids=${id},987654&atomic=1`)
    assert.ok(atomic.status >= 400, atomic.text)
    assert.deepEqual(hooks(), [hook])
  })

  test('is one, and works, where two people create it at the same time', async () => {
    const id = await connect()
    const answers = await Promise.all([create(id), create(id)])
    for (const { status, text } of answers) assert.equal(status, 200, text)
    const { storage, keyring } = shared.service.app
    const secrets = openStoredSecrets(storage, keyring)
    const stored = await new WebhookStore({ storage, secrets }).read(id)
    assert.deepEqual(
      hooks().map((hook) => [hook.id, hook.secret]),
      [[stored.webhook?.hook_id, stored.secret]],
    )
  })

  test('whose secret cannot be decrypted is a problem, and is created again or deleted', async () => {
    for (const end of ['create', 'delete'] as const) {
      double.data.hooks.clear()
      const { id, hook } = await connectWithWebhook()
      const db = shared.service.app.storage.tables<MauticTables>()
      const unreadable = { webhook_secret: `${'0'.repeat(8)}.lost` }
      await db.updateTable('mautics').set(unreadable).where('id', '=', id).execute()
      await synchronize(id)
      assert.match((await problemOf(id)) ?? '', /its key is missing/)
      if (end === 'delete') {
        assert.equal((await ask('DELETE', `/api/mautics/${id}/delete`)).status, 200)
        assert.deepEqual(hooks(), [])
        continue
      }
      const again = await create(id)
      assert.equal(again.status, 200, again.text)
      const [created, ...others] = hooks()
      assert.deepEqual([created.id, others], [again.body.webhook.id, []])
      assert.notEqual(created.secret, hook.secret)
      await synchronize(id)
      assert.equal(await problemOf(id), null)
    }
  })

  test('with its address and another secret, as after a restored copy, is deleted when it is created', async () => {
    const id = await connect()
    const webhookUrl = `${base}/webhooks/mautic/${id}`
    const { hook: recorded } = readRecording('106').response.body
    double.data.hooks.set(901, { ...recorded, id: 901, webhookUrl, secret: 'of the copy' })
    const { body } = await create(id)
    assert.deepEqual(
      hooks().map((each) => each.id),
      [body.webhook.id],
    )
  })
})

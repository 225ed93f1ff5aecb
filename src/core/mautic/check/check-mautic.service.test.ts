import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { addTransport } from '../../../../test/callers.ts'
import { readRecording } from '../../../../test/mautic-double/recordings.ts'
import { connectMautic, useMauticDouble } from '../../../../test/mautics.ts'
import { openTestApp, type TestApp, type TestBody } from '../../../../test/test-app.ts'
import type { MauticTables } from '../table.ts'

/** As Mautic shows the role of docs/mautic.md. */
const documentedRights = {
  'email:emails': ['viewother'],
  'lead:leads': ['viewother', 'editother'],
  'user:users': ['view'],
  'webhook:webhooks': ['viewother', 'create', 'publishother', 'deleteown', 'deleteother'],
}

describe('the check of a Mautic', () => {
  let service: TestApp
  const mautic = useMauticDouble()
  let id: number
  let base: string
  let transportId: number
  before(async () => {
    service = await openTestApp({ isStarted: false })
    base = await service.listen()
    transportId = (await addTransport(service, { name: 'Brand', mailerDsn: 'inbox://local' })).id
    id = (await connectMautic(service, mautic, { name: 'shop', transportId })).id
  })
  beforeEach(async () => {
    await service.ask('DELETE', `/api/mautics/${id}/webhook/delete`)
    mautic.data.hooks.clear()
  })
  after(() => service.close())

  const check = (): Promise<TestBody> => service.askFor('POST', `/api/mautics/${id}/check`)
  const stageOf = (report: TestBody, name: string): TestBody =>
    report.stages.find(({ stage }: TestBody) => stage === name)
  const edit = async (values: object) => {
    await service.askFor('PATCH', `/api/mautics/${id}/edit`, values)
  }
  /** Works with the login of a user with these rights. */
  const asLimited = async <T>(
    rights: Record<string, string[]> | undefined,
    work: () => Promise<T>,
  ) => {
    await edit({ clientId: null, clientSecret: null, ...mautic.limited })
    if (rights !== undefined) mautic.behaviour.rights = rights
    try {
      return await work()
    } finally {
      await edit({ username: null, password: null, ...mautic.client })
    }
  }
  /** Returns its id in Mautic. */
  const createWebhook = async (body: object): Promise<number> =>
    (await service.askFor('POST', `/api/mautics/${id}/webhook`, body)).webhook.id

  test('each stage is sent when it starts and when it has finished, if lines are asked for', async () => {
    const headers = { accept: 'application/x-ndjson' }
    const url = `/api/mautics/${id}/check`
    const answer = await service.ask('POST', url, undefined, { headers })
    const lines: TestBody[] = answer.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const { type, result } = lines.at(-1)
    assert.deepEqual([type, result.success], ['result', true])
    const states = (name: string) =>
      lines.filter(({ stage }) => stage === name).map(({ state }) => state)
    for (const { stage } of result.stages) assert.deepEqual(states(stage), ['started', 'finished'])
    const unknown = await service.ask('POST', '/api/mautics/999/check', undefined, { headers })
    assert.equal(unknown.status, 404)
  })

  test('goes through all stages and changes nothing in Mautic', async () => {
    mautic.requests.length = 0
    const report = await check()
    assert.equal(report.success, true, report.message)
    const outcomes = report.stages.map(({ outcome }: TestBody) => outcome)
    assert.deepEqual(outcomes, [...Array(9).fill('ok'), 'skipped'])
    for (const [stage, found] of [
      ['users', '12'],
      ['emails', '40'],
      ['contacts', '310'],
      ['do-not-contact', '0'],
    ] as const)
      assert.match(stageOf(report, stage).detail, new RegExp(`^${found} `))
    const changes = mautic.requests.filter(
      ({ method, path }) => method !== 'GET' && path !== '/oauth/v2/token',
    )
    assert.deepEqual(changes, [])
  })

  test('stops where Mautic is not reached, and says what to do', async () => {
    await mautic.stop()
    const report = await check()
    await mautic.start()
    assert.equal(report.success, false)
    assert.match(report.message, /connection refused.*Check the host and the port/)
    const outcomes = report.stages.map(({ outcome }: TestBody) => outcome)
    assert.deepEqual(outcomes, ['failed', ...Array(9).fill('skipped')])
  })

  test('another site and a disabled API are no Mautic', async () => {
    mautic.behaviour.fault = () => 'html'
    assert.match(stageOf(await check(), 'reach').hint, /is the address of Mautic/)
    mautic.behaviour.fault = () => 403
    assert.equal(stageOf(await check(), 'reach').outcome, 'failed')
  })

  test('stops at a wrong secret', async () => {
    await edit({ clientSecret: 'wrong' })
    const report = await check()
    await edit({ clientSecret: mautic.client.clientSecret })
    assert.equal(stageOf(report, 'reach').outcome, 'ok')
    assert.equal(stageOf(report, 'permissions').outcome, 'skipped')
    assert.doesNotMatch(JSON.stringify(report), /wrong/)
  })

  test('names what a role may not do, and tries the other stages', async () => {
    const [report, tagging] = await asLimited(undefined, async () => {
      const first = await check()
      await edit({ isReporting: false, isTagging: true })
      return [first, await check()]
    })
    await edit({ isReporting: true, isTagging: false })
    assert.match(stageOf(tagging, 'permissions').detail, /edit all contacts/)
    assert.match(stageOf(report, 'permissions').detail, /view users.*edit all contacts/)
    assert.equal(stageOf(report, 'webhook').outcome, 'skipped')
    assert.match(stageOf(report, 'users').detail, /403/)
    assert.equal(stageOf(report, 'emails').outcome, 'ok')
  })

  test('succeeds with a user whose role has only the rights that the docs name', async () => {
    const report = await asLimited(documentedRights, async () => {
      await createWebhook({ url: base })
      return check()
    })
    assert.equal(report.success, true, report.message)
    const outcomes = report.stages.map(({ outcome }: TestBody) => outcome)
    assert.deepEqual(new Set(outcomes), new Set(['ok']))
  })

  test('names a refusal of statistics, which Mautic answers with status 200', async () => {
    const report = await asLimited({ 'lead:leads': [] }, check)
    for (const stage of ['statistics', 'do-not-contact'])
      assert.match(stageOf(report, stage).detail, /You do not have the view permission/)
  })

  test('one list that fails does not stop the others', async () => {
    mautic.behaviour.fault = ({ path }) => (path.startsWith('/api/contacts') ? 500 : undefined)
    const report = await check()
    assert.equal(stageOf(report, 'contacts').outcome, 'failed')
    assert.equal(stageOf(report, 'statistics').outcome, 'ok')
    assert.match(report.message, /\/api\/contacts was answered 500/)
  })

  test('finds its webhook, and says what is wrong with it', async () => {
    const { hook: recorded } = readRecording('106').response.body
    mautic.data.hooks.set(901, {
      ...recorded,
      id: 901,
      webhookUrl: 'https://else.example.com/hook',
    })
    assert.match(stageOf(await check(), 'webhook').hint, /^Create it /)
    const hook = mautic.data.hooks.get(await createWebhook({ url: base }))
    assert.equal(stageOf(await check(), 'webhook').outcome, 'ok')
    Object.assign(hook, { isPublished: false })
    assert.match((await check()).message, /unpublished/)
    Object.assign(hook, { isPublished: true })
    const limited = await asLimited({ 'webhook:webhooks': ['viewother', 'create'] }, check)
    assert.match(
      stageOf(limited, 'webhook').detail,
      /publish .* of others, delete its own webhooks, delete .* of others/,
    )
  })

  test('proves that the address of its webhook leads to this Mailyard', async () => {
    await createWebhook({ url: mautic.url, acceptsUnproven: true })
    assert.match(stageOf(await check(), 'webhook').detail, /does not check this address/)
    const hook = mautic.data.hooks.get(await createWebhook({ url: base }))
    const url = `${mautic.url}/webhooks/mautic/${id}`
    const stored = service.app.storage.tables<MauticTables>().updateTable('mautic_webhooks')
    await stored.set({ url }).execute()
    hook.webhookUrl = url
    assert.match(stageOf(await check(), 'webhook').detail, /does not lead to this Mailyard/)
  })

  test('fails while mail would only wait for a transport', async () => {
    await edit({ transportId: null })
    const report = await check()
    assert.equal(report.success, false)
    assert.equal(stageOf(report, 'transport').outcome, 'failed')
    assert.equal(stageOf(report, 'webhook').outcome, 'skipped', 'the next stage is tried')
    await edit({ transportId })
    const publish = (isPublished: boolean) =>
      service.ask('PATCH', `/api/multipleTransports/${transportId}/edit`, { isPublished })
    await publish(false)
    assert.match(stageOf(await check(), 'transport').detail, /but it is not published/)
    await publish(true)
    assert.equal((await check()).success, true)
  })

  test('fails if the last test of its transport failed; without a test it says so', async () => {
    assert.match(stageOf(await check(), 'transport').hint, /never tested/)
    const path = `/api/multipleTransports/${transportId}`
    const test = `/api/multipleTransports/send/test/${transportId}`
    const testIt = () => service.ask('POST', test, { to: 'ann@example.com' })
    await service.ask('PATCH', `${path}/edit`, { mailerDsn: 'smtp://127.0.0.1:1' })
    assert.equal((await testIt()).body.success, false)
    const report = await check()
    assert.equal(report.success, false)
    await service.ask('PATCH', `${path}/edit`, { mailerDsn: 'inbox://local' })
    assert.equal((await testIt()).body.success, true)
    const { outcome, hint } = stageOf(await check(), 'transport')
    assert.deepEqual([outcome, hint], ['ok', null])
  })

  test('succeeds with the default transport of Mailyard', async () => {
    const config = { mailerDsn: 'inbox://local' }
    const other = await openTestApp({ isStarted: false, config })
    const { id } = await connectMautic(other, mautic)
    const report = (await other.ask('POST', `/api/mautics/${id}/check`)).body
    await other.close()
    assert.equal(report.success, true)
    assert.equal(stageOf(report, 'transport').outcome, 'ok')
  })

  test('do-not-contact is asked for also where reports are disabled: the list is read', async () => {
    await edit({ isReporting: false })
    assert.equal(stageOf(await check(), 'do-not-contact').outcome, 'ok')
  })
})

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { addTransport } from '../../../test/callers.ts'
import { type MauticDouble, startMauticDouble } from '../../../test/mautic-double/mautic-double.ts'
import { readRecording } from '../../../test/mautic-double/recordings.ts'
import { openTestApp, type TestApp, type TestBody } from '../../../test/test-app.ts'
import type { MauticTables } from '../table.ts'

describe('the check of a Mautic', () => {
  let service: TestApp
  let mautic: MauticDouble
  let id: number
  let base: string
  let transportId: number
  before(async () => {
    mautic = await startMauticDouble()
    service = await openTestApp({ isStarted: false })
    base = await service.listen()
    const { url, client } = mautic
    transportId = (await addTransport(service, { name: 'Brand', mailerDsn: 'inbox://local' })).id
    const values = { name: 'shop', url, ...client, transportId }
    const answer = await service.ask('POST', '/api/mautics/new', values)
    id = answer.body.mautic.id
  })
  beforeEach(async () => {
    mautic.behaviour.fault = () => undefined
    mautic.behaviour.rights = {}
    await service.ask('DELETE', `/api/mautics/${id}/webhook/delete`)
    mautic.data.hooks.clear()
  })
  after(async () => {
    await service.close()
    await mautic.close()
  })

  const check = async (): Promise<TestBody> => {
    const { status, body, text } = await service.ask('POST', `/api/mautics/${id}/check`)
    assert.equal(status, 200, text)
    return body
  }
  const stageOf = (report: TestBody, name: string): TestBody =>
    report.stages.find(({ stage }: TestBody) => stage === name)
  const edit = async (values: object) => {
    const answer = await service.ask('PATCH', `/api/mautics/${id}/edit`, values)
    assert.equal(answer.status, 200, answer.text)
  }
  const hookOf = (hookId: number) => ({ ...readRecording('106').response.body.hook, id: hookId })

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
    assert.deepEqual([report.success, report.message], [true, 'The Mautic "shop" can be used.'])
    assert.deepEqual(
      report.stages.map(({ stage, outcome, detail }: TestBody) => [stage, outcome, detail]),
      [
        ['reach', 'ok', `${mautic.url} answers as a Mautic with an enabled API.`],
        ['authenticate', 'ok', 'Logged in as "Lab App [1]".'],
        ['permissions', 'ok', 'The role "Administrator" may do everything.'],
        ['users', 'ok', '12 found.'],
        ['emails', 'ok', '40 found.'],
        ['contacts', 'ok', '310 found.'],
        ['statistics', 'ok', '1 found.'],
        ['do-not-contact', 'ok', '0 found.'],
        [
          'transport',
          'ok',
          `Transport ${transportId} (Brand) is for mail without an assignment: it is the default of Mautic "shop".`,
        ],
        ['webhook', 'skipped', 'There is no webhook to this Mailyard.'],
      ],
    )
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
    assert.match(report.message, /The client credentials are invalid\. Check clientId/)
    assert.equal(stageOf(report, 'permissions').outcome, 'skipped')
    assert.doesNotMatch(JSON.stringify(report), /wrong/)
  })

  test('names what a role may not do, and tries the other stages', async () => {
    const { username, password } = mautic.limited
    await edit({ clientId: null, clientSecret: null, username, password })
    const report = await check()
    const { clientId, clientSecret } = mautic.client
    await edit({ isReporting: false, isTagging: true })
    const tagging = stageOf(await check(), 'permissions').detail
    const all = { isReporting: true, isTagging: false }
    await edit({ ...all, username: null, password: null, clientId, clientSecret })
    assert.match(tagging, /edit all contacts \(for the tag\)/)
    const { detail } = stageOf(report, 'permissions')
    assert.match(
      detail,
      /"Marketers" may not .*view users.*edit all contacts \(for Do not contact\)/,
    )
    assert.equal(stageOf(report, 'webhook').outcome, 'skipped')
    assert.match(stageOf(report, 'users').detail, /403/)
    assert.equal(stageOf(report, 'emails').outcome, 'ok')
  })

  test('succeeds with a user whose role has only the rights that the docs name', async () => {
    const { username, password } = mautic.limited
    await edit({ clientId: null, clientSecret: null, username, password })
    mautic.behaviour.rights = {
      'email:emails': ['viewown', 'viewother'],
      'lead:leads': ['viewown', 'viewother', 'editown', 'editother'],
      'user:users': ['view'],
      'webhook:webhooks': ['viewown', 'viewother', 'create', 'publishother', 'deleteother'],
    }
    const created = await service.ask('POST', `/api/mautics/${id}/webhook`, { url: base })
    const report = await check()
    const { clientId, clientSecret } = mautic.client
    await edit({ username: null, password: null, clientId, clientSecret })
    assert.equal(created.status, 200, created.text)
    assert.equal(report.success, true, report.message)
    const outcomes = report.stages.map(({ outcome }: TestBody) => outcome)
    assert.deepEqual(new Set(outcomes), new Set(['ok']))
  })

  test('names a refusal of statistics, which Mautic answers with status 200', async () => {
    const { username, password } = mautic.limited
    await edit({ clientId: null, clientSecret: null, username, password })
    mautic.behaviour.rights = { 'lead:leads': [] }
    const report = await check()
    const { clientId, clientSecret } = mautic.client
    await edit({ username: null, password: null, clientId, clientSecret })
    for (const stage of ['statistics', 'do-not-contact'])
      assert.match(
        stageOf(report, stage).detail,
        /was refused: You do not have the view permission/,
      )
  })

  test('one list that fails does not stop the others', async () => {
    mautic.behaviour.fault = ({ path }) => (path.startsWith('/api/contacts') ? 500 : undefined)
    const report = await check()
    assert.equal(stageOf(report, 'contacts').outcome, 'failed')
    assert.equal(stageOf(report, 'statistics').outcome, 'ok')
    assert.match(report.message, /\/api\/contacts was answered 500/)
  })

  test('finds its webhook, and says what is wrong with it', async () => {
    mautic.data.hooks.set(901, { ...hookOf(901), webhookUrl: 'https://elsewhere.example.com/hook' })
    assert.match(stageOf(await check(), 'webhook').hint, /^Create it .*\/webhook/)
    const created = await service.ask('POST', `/api/mautics/${id}/webhook`, { url: base })
    const hook = mautic.data.hooks.get(created.body.webhook.id)
    const { outcome, detail } = stageOf(await check(), 'webhook')
    const leads = `Webhook ${hook.id} leads to ${base}/webhooks/mautic/${id}.`
    assert.deepEqual([outcome, detail], ['ok', leads])
    const change = async (values: object) => {
      mautic.data.hooks.set(hook.id, { ...hook, ...values })
      return check()
    }
    const { message } = await change({ isPublished: false })
    assert.match(message, /is unpublished.*Create it again/)
    assert.match((await change({ secret: 'another' })).message, /was changed in Mautic/)
    assert.match((await change({ triggers: [] })).message, /does not send the events/)
    mautic.data.hooks.set(hook.id, hook)
    await edit({ clientId: null, clientSecret: null, ...mautic.limited })
    mautic.behaviour.rights = { 'webhook:webhooks': ['viewother', 'create'] }
    const limited = stageOf(await check(), 'webhook').detail
    const { clientId, clientSecret } = mautic.client
    await edit({ username: null, password: null, clientId, clientSecret })
    assert.match(limited, /may not publish the webhooks of others, delete the webhooks of others/)
  })

  test('proves that the address of its webhook leads to this Mailyard', async () => {
    const body = { url: mautic.url, acceptsUnproven: true }
    await service.ask('POST', `/api/mautics/${id}/webhook`, body)
    assert.match(stageOf(await check(), 'webhook').detail, /does not check this address/)
    const proven = await service.ask('POST', `/api/mautics/${id}/webhook`, { url: base })
    assert.equal(proven.status, 200, proven.text)
    await service.app.storage
      .tables<MauticTables>()
      .updateTable('mautic_webhooks')
      .set({ url: `${mautic.url}/webhooks/mautic/${id}` })
      .execute()
    const hook = mautic.data.hooks.get(proven.body.webhook.id)
    hook.webhookUrl = `${mautic.url}/webhooks/mautic/${id}`
    assert.match(stageOf(await check(), 'webhook').detail, /does not lead to this Mailyard/)
  })

  test('fails while mail would only wait for a transport', async () => {
    await edit({ transportId: null })
    const report = await check()
    assert.equal(report.success, false)
    assert.match(report.message, /would wait: Mautic "shop" has no default transport; .*inbox:/)
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
    const testIt = () =>
      service.ask('POST', `/api/multipleTransports/send/test/${transportId}`, {
        to: 'ann@example.com',
      })
    await service.ask('PATCH', `${path}/edit`, { mailerDsn: 'smtp://127.0.0.1:1' })
    assert.equal((await testIt()).body.success, false)
    const report = await check()
    assert.equal(report.success, false)
    assert.match(report.message, /failed its last test: .*connection refused.*Repair the transport/)
    await service.ask('PATCH', `${path}/edit`, { mailerDsn: 'inbox://local' })
    const repaired = await testIt()
    assert.equal(repaired.body.success, true, repaired.text)
    const { outcome, hint } = stageOf(await check(), 'transport')
    assert.deepEqual([outcome, hint], ['ok', null])
  })

  test('succeeds with the default transport of Mailyard', async () => {
    const config = { mailerDsn: 'inbox://local' }
    const other = await openTestApp({ isStarted: false, config })
    const { url, client } = mautic
    const { body } = await other.ask('POST', '/api/mautics/new', { name: 'shop', url, ...client })
    const report = (await other.ask('POST', `/api/mautics/${body.mautic.id}/check`)).body
    await other.close()
    assert.equal(report.success, true)
    assert.match(stageOf(report, 'transport').detail, /^The default transport is for mail without/)
  })

  test('do-not-contact is asked for also where reports are disabled: the list is read', async () => {
    await edit({ isReporting: false })
    assert.equal(stageOf(await check(), 'do-not-contact').outcome, 'ok')
  })
})

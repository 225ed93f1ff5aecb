import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type MauticDouble, startMauticDouble } from './mautic-double.ts'
import { hasRecording, type Json, readRecording } from './recordings.ts'

describe('the double of Mautic', () => {
  let mautic: MauticDouble
  before(async () => {
    mautic = await startMauticDouble()
  })
  after(() => mautic.close())

  const basic = ({ username, password }: { username: string; password: string }) =>
    `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const getToken = async () => {
    const { clientId, clientSecret } = mautic.client
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    })
    const answer = await fetch(`${mautic.url}/oauth/v2/token`, { method: 'POST', body })
    const read: Json = await answer.json()
    return read.access_token as string
  }
  /** The header that a recording describes in words. */
  const credentials = async (words: string | undefined) => {
    if (words === undefined) return undefined
    if (words.includes('wrong')) return basic({ username: 'admin', password: 'wrong' })
    if (words.includes('unknown')) return 'Bearer unknown'
    const isLimited = /limited|user5|hookfull|owndel|nopub|noeditother|nothing|ownonly/.test(words)
    if (isLimited) return basic(mautic.limited)
    return words.startsWith('Basic') ? basic(mautic.administrator) : `Bearer ${await getToken()}`
  }
  const replay = async (number: string, path?: string) => {
    const { request, response } = readRecording(number)
    const authorization = await credentials(request.headers['authorization'])
    const isText = typeof request.body === 'string'
    const answer = await fetch(`${mautic.url}${path ?? request.path}`, {
      method: request.method,
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        'content-type': request.headers['content-type'] ?? 'application/json',
      },
      redirect: 'manual',
      ...(request.body === null
        ? {}
        : { body: isText ? request.body : JSON.stringify(request.body) }),
    })
    const body: Json = await answer.json().catch(() => undefined)
    return { answer, response, body }
  }

  const verbatim = ['001', '006', '007', '008', '009', '013', '015', '017', '019', '032', '033']
  const more = ['034', '037', '045', '048', '050', '064', '065', '073', '074', '077', '081']
  for (const number of [...verbatim, ...more, '091', '092', '107'])
    test(`answers ${readRecording(number).name} as recorded`, async () => {
      const { answer, response, body } = await replay(number)
      assert.equal(answer.status, response.status)
      assert.equal(answer.headers.get('content-type'), 'application/json')
      assert.deepEqual(body, response.body)
    })

  test('lists have the recorded members', async () => {
    for (const [number, name] of [
      ['020', 'users'],
      ['027', 'emails'],
      ['046', 'contacts'],
    ] as const) {
      const { response, body } = await replay(number)
      assert.equal(Array.isArray(body[name]), Array.isArray(response.body[name]), name)
      assert.equal(typeof body.total, typeof response.body.total, name)
      const [first] = Object.values<Json>(body[name])
      const [recorded] = Object.values<Json>(response.body[name])
      for (const member of Object.keys(first)) assert.ok(member in recorded, member)
    }
  })

  test('a contact that is not to be contacted keeps the first reason', async () => {
    for (const number of ['087', '089']) assert.equal((await replay(number)).answer.status, 200)
    const { body, response } = await replay('088')
    assert.deepEqual(body.contact.doNotContact, response.body.contact.doNotContact)
    const { body: listed, response: recorded } = await replay('095')
    assert.deepEqual(
      { ...listed.stats[0], date_added: '' },
      { ...recorded.body.stats[0], date_added: '' },
    )
  })

  test('a trailing slash is redirected', async () => {
    const { answer } = await replay('070')
    assert.equal(answer.status, 301)
    assert.equal(answer.headers.get('location'), `${mautic.url}/api/emails`)
  })

  /** The rights of the role of a recording. */
  const roles: Record<string, string[]> = {
    'new-basic-documented-role': ['viewother', 'create', 'publishother', 'deleteother'],
    'new-without-publishother': ['viewother', 'create', 'deleteother'],
    'new-client-credentials': [],
    'delete-own-with-deleteown': ['create', 'publishother', 'deleteown'],
    'delete-own-with-deleteother-only': ['create', 'publishother', 'deleteother'],
    'delete-without-owner-with-deleteother': ['deleteother'],
  }

  for (const [name, rights] of Object.entries(roles))
    for (const [major, version] of [
      ['5', '5.1.0'],
      ['6', '6.0.3'],
    ] as const) {
      if (!hasRecording(`${major}-hooks-${name}`)) continue
      test(`a webhook is ${name.replaceAll('-', ' ')} as in Mautic ${major}`, async () => {
        Object.assign(mautic.behaviour, { version, rights: { 'webhook:webhooks': rights } })
        const { hook: recorded } = readRecording('106').response.body
        const createdBy = name.includes('without-owner') ? null : 5
        mautic.data.hooks.set(800, { ...recorded, id: 800, createdBy })
        const path = name.startsWith('delete') ? '/api/hooks/800/delete' : undefined
        const { answer, response, body } = await replay(`${major}-hooks-${name}`, path)
        assert.equal(answer.status, response.status)
        assert.deepEqual(Object.keys(body), Object.keys(response.body))
        if (response.status < 300) {
          const facts = ({ hook }: Json) => [
            hook.isPublished,
            ...[hook.createdBy, hook.dateModified, hook.modifiedBy].map((value) => value !== null),
          ]
          const isNew = name.startsWith('new')
          if (isNew) assert.deepEqual(facts(body), facts(response.body))
          else assert.equal(body.hook.id, response.body.hook.id)
        } else assert.deepEqual(body, { errors: response.body.errors })
        Object.assign(mautic.behaviour, { version: '5.1.0', rights: {} })
      })
    }

  for (const name of [
    '6-contacts-edit-tags-without-editother',
    '6-dnc-add-without-editother',
    '6-stats-lead_donotcontact-without-rights',
    '6-stats-dnc-two-where-contradicting',
  ])
    test(`answers ${name} as recorded`, async () => {
      const rights = name.includes('without-rights') ? { 'lead:leads': [] } : {}
      Object.assign(mautic.behaviour, { version: '6.0.3', rights })
      const { answer, response, body } = await replay(name)
      assert.equal(answer.status, response.status)
      assert.equal(answer.headers.get('mautic-version'), '6.0.3')
      assert.deepEqual(body, response.body)
      Object.assign(mautic.behaviour, { version: '5.1.0', rights: {} })
    })

  test('statistics are shown to a role that sees its own contacts only', async () => {
    mautic.behaviour.rights = { 'lead:leads': ['viewown'] }
    const { body, response } = await replay('6-stats-lead_donotcontact-viewown')
    assert.deepEqual(Object.keys(body), Object.keys(response.body))
    mautic.behaviour.rights = {}
  })

  for (const [major, version, moves] of [
    ['5', '5.1.0', true],
    ['6', '6.0.3', false],
  ] as const)
    test(`in Mautic ${major}, another reason changes an entry, and the same one nothing`, async () => {
      mautic.behaviour.version = version
      const contact = mautic.data.contacts.get(280)
      contact.dateModified = '2026-01-31T10:00:00+00:00'
      const entry = {
        ...{ id: '77', lead_id: '280', channel: 'email', channel_id: null },
        ...{ reason: '1', comments: '', date_added: '2026-01-31 10:00:00' },
      }
      Object.assign(mautic.data, { doNotContact: [entry], pending: [] })
      const changed = (await replay(`${major}-dnc-add-changed-reason`)).body.contact
      const [{ id, reason, comments }] = changed.doNotContact
      assert.deepEqual([id, reason, comments], [77, 2, 'changed'])
      assert.notEqual(entry.date_added, '2026-01-31 10:00:00')
      assert.equal(changed.dateModified !== '2026-01-31T10:00:00+00:00', moves)
      const { body, response } = await replay('6-dnc-add-same-reason')
      assert.equal(body.contact.doNotContact[0].comments, 'changed')
      assert.equal(response.body.contact.doNotContact[0].comments, 'changed')
      assert.equal(mautic.data.pending.length, 1)
      mautic.data.pending = []
      mautic.behaviour.version = '5.1.0'
    })

  test('new rows of Mautic 6 and later were modified when they were added, and emails of 7 have sendToDnc', async () => {
    const newer = await startMauticDouble({ version: '7.0.0', emails: 1, users: 2, contacts: 1 })
    const { emails, contacts } = newer.data
    for (const row of [emails.get(1), contacts.get(1)])
      assert.equal(row.dateModified, row.dateAdded)
    assert.equal(emails.get(1).sendToDnc, false)
    const authorization = basic(newer.administrator)
    const list = async (query: string) => {
      const answer = await fetch(`${newer.url}/api/emails${query}`, { headers: { authorization } })
      const { emails: listed }: Json = await answer.json()
      return listed['1']
    }
    assert.equal((await list('')).sendToDnc, false)
    const { response } = readRecording('6-emails-minimal')
    const [recorded] = Object.values<Json>(response.body.emails)
    assert.deepEqual(Object.keys(await list('?minimal=1')), Object.keys(recorded))
    await newer.close()
  })
})

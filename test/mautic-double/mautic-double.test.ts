import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type MauticDouble, startMauticDouble } from './mautic-double.ts'
import { type Json, readRecording } from './recordings.ts'

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
    if (words.includes('limited') || words.includes('user5')) return basic(mautic.limited)
    return words.startsWith('Basic') ? basic(mautic.administrator) : `Bearer ${await getToken()}`
  }
  const replay = async (number: string) => {
    const { request, response } = readRecording(number)
    const authorization = await credentials(request.headers['authorization'])
    const isText = typeof request.body === 'string'
    const answer = await fetch(`${mautic.url}${request.path}`, {
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
})

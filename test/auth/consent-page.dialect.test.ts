import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addClient, addUser, type TestClient, type TestUser } from '../callers.ts'
import {
  ConsentBrowser,
  type ConsentQuery,
  callback,
  consentQuery,
  createChallenge,
  readHiddenFields,
  readRedirect,
} from '../consent.ts'
import { createMovableClock } from '../movable-clock.ts'
import { onEachDatabase } from '../on-each-database.ts'
import type { TestAnswer } from '../test-app.ts'

const evil = 'https://evil.example.com/callback'

/** A page of ours: HTML that nothing may be run in, framed by or fetched from elsewhere. */
function assertPage(answer: TestAnswer, status: number): void {
  assert.equal(answer.status, status, answer.text)
  assert.match(String(answer.headers['content-type']), /^text\/html/)
  assert.equal(answer.headers['location'], undefined)
  const policy = String(answer.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /script-src|unsafe-eval/)
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.equal(answer.headers['x-content-type-options'], 'nosniff')
  assert.equal(answer.headers['referrer-policy'], 'same-origin')
  assert.doesNotMatch(answer.text, /<script/i)
}

onEachDatabase('the consent page', { isOwn: true }, (shared) => {
  let user: TestUser
  let client: TestClient
  before(async () => {
    user = await addUser(shared.service, {})
    client = await addClient(shared.service, { name: 'Campaigns', redirectUris: [callback] })
  })
  const loginFields = (query: string) => ({
    username: user.username,
    password: user.password,
    return: query,
  })
  const createBrowser = () => new ConsentBrowser(shared.service)
  const enter = async (query = consentQuery(client)) => {
    const browser = createBrowser()
    await browser.logIn(query, user.username, user.password)
    return browser
  }

  describe('the usual steps', () => {
    test('asks to log in, then whether the application may; then goes back with a code', async () => {
      const browser = createBrowser()
      const query = consentQuery(client)
      const first = await browser.open(query)
      assertPage(first, 200)
      assert.match(first.text, /type="password"/)
      assert.match(first.text, /Campaigns/)
      const loggedIn = await browser.logIn(query, user.username, user.password)
      assert.equal(loggedIn.status, 303)
      assert.match(String(loggedIn.headers['location']), /^\/oauth\/v2\/authorize\?/)
      const page = await browser.open(query)
      assertPage(page, 200)
      assert.match(page.text, /Campaigns/)
      assert.ok(page.text.includes(user.username))
      assert.match(page.text, /app\.example\.com/, 'it says where one will be taken')
      const { target, values } = readRedirect(await browser.decide(query, { allowed: 'true' }))
      assert.equal(target, callback)
      assert.deepEqual(Object.keys(values).sort(), ['code', 'state'])
      assert.equal(values['state'], 'the state')
    })

    test('a refusal redirects with access_denied and without a code', async () => {
      const browser = await enter()
      const answer = await browser.decide(consentQuery(client), { allowed: 'false' })
      const { target, values } = readRedirect(answer)
      assert.equal(target, callback)
      const { error, state, code } = values
      assert.deepEqual([error, state, code], ['access_denied', 'the state', undefined])
    })

    test('a form without an answer gives no consent', async () => {
      const browser = await enter()
      const buttons: ConsentQuery[] = [{}, { allowed: '' }, { allowed: 'yes' }]
      for (const button of buttons) {
        assertPage(await browser.decide(consentQuery(client), button), 200)
      }
    })

    for (const [kind, uri, location] of [
      ['keeps the query of', `${callback}?tenant=7&x=a%20b`, `${callback}?tenant=7&x=a%20b&`],
      ['redirects to a desktop application by', 'com.example.app:/back', 'com.example.app:/back?'],
      [
        'redirects to the URI form of',
        'https://bücher.example/漢',
        'https://xn--bcher-kva.example/%E6%BC%A2?',
      ],
    ] as const)
      test(`${kind} the redirect URI ${uri}, for each answer`, async () => {
        const other = await addClient(shared.service, { redirectUris: [uri] })
        const query = consentQuery(other, { redirect_uri: uri })
        const browser = await enter(query)
        for (const [allowed, member] of [
          ['true', 'code='],
          ['false', 'error='],
        ] as const) {
          const answer = await browser.decide(query, { allowed })
          assert.equal(answer.status, 303, answer.text)
          const sentTo = String(answer.headers['location'])
          assert.ok(sentTo.startsWith(location), sentTo)
          assert.match(sentTo, /state=the(\+|%20)state/)
          assert.ok(sentTo.includes(member), sentTo)
        }
      })

    test('has forms that only submit to Mailyard; only the consent form redirects to the application', async () => {
      const formTargets = ({ headers }: TestAnswer) =>
        /form-action ([^;]*)/.exec(String(headers['content-security-policy']))?.[1]
      const browser = createBrowser()
      const query = consentQuery(client)
      assert.equal(formTargets(await browser.open(query)), "'self'")
      assert.equal(formTargets(await browser.logIn(query, user.username, 'wrong')), "'self'")
      await browser.logIn(query, user.username, user.password)
      assert.equal(formTargets(await browser.open(query)), undefined)
      const failed = await browser.open(consentQuery(client, { redirect_uri: evil }))
      assert.deepEqual([failed.status, formTargets(failed)], [400, "'self'"])
    })

    test('"Not you?" ends the session', async () => {
      const browser = await enter()
      const { cookie } = browser
      const answer = await browser.decide(consentQuery(client), { logout: '1' })
      assertPage(answer, 200)
      assert.match(answer.text, /type="password"/)
      assert.match(String(answer.headers['set-cookie']), /Max-Age=0/)
      const again = createBrowser()
      again.cookie = cookie
      assert.match((await again.open(consentQuery(client))).text, /type="password"/)
    })
  })

  describe('log-in', () => {
    test('with a wrong password is refused on the page, and starts no session', async () => {
      const browser = createBrowser()
      for (const [username, password] of [
        [user.username, 'wrong'],
        ['unknown', user.password],
        ['', ''],
      ] as const) {
        const answer = await browser.logIn(consentQuery(client), username, password)
        assertPage(answer, 401)
        assert.match(answer.text, /is wrong/)
        assert.equal(answer.headers['set-cookie'], undefined)
      }
    })

    test('is throttled after repeated failures', async () => {
      const { username, password } = await addUser(shared.service, {})
      const browser = createBrowser()
      for (let tries = 0; tries < 10; tries++) {
        await browser.logIn(consentQuery(client), username, `guess ${tries}`)
      }
      const answer = await browser.logIn(consentQuery(client), username, password)
      assert.match(answer.text, /Too many failed log-ins/)
      assert.equal(browser.cookie, undefined)
    })

    test('sets a cookie that scripts and other sites do not get, and only for these pages', async () => {
      const { headers } = await createBrowser().logIn(
        consentQuery(client),
        user.username,
        user.password,
      )
      const cookie = String(headers['set-cookie'])
      const [pair = '', ...attributes] = cookie.split('; ')
      assert.match(pair, /^mailyard_session=[\w-]{43}$/)
      assert.ok(attributes.includes('HttpOnly'))
      assert.ok(attributes.includes('SameSite=Lax'))
      assert.ok(attributes.includes('Path=/oauth/v2'))
      assert.ok(attributes.includes('Max-Age=3600'))
    })

    test('behind a proxy that speaks TLS, the cookie is for TLS alone', async () => {
      const service = await shared.openAnother({ config: { trustedProxies: ['127.0.0.1'] } })
      const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' }
      const fields = loginFields(new URLSearchParams(consentQuery(client)).toString())
      const browser = new ConsentBrowser(service)
      const answer = await browser.post('/oauth/v2/authorize_login', fields, headers)
      assert.match(String(answer.headers['set-cookie']), /; Secure/)
    })

    test('the session is only valid for this page', async () => {
      const { cookie = '' } = await enter()
      const answer = await shared.ask('GET', '/api/users/self', undefined, {
        as: 'anonymous',
        headers: { cookie },
      })
      assert.equal(answer.status, 401)
    })

    test('redirects to no other page than this one', async () => {
      for (const target of ['https://evil.example.com/', '//evil.example.com', '/x?y']) {
        const query = new URLSearchParams(consentQuery(client)).toString()
        const fields = loginFields(`${target}&${query}`)
        const answer = await createBrowser().post('/oauth/v2/authorize_login', fields)
        assert.match(String(answer.headers['location']), /^\/oauth\/v2\/authorize\?/)
      }
    })
  })

  describe('an invalid authorization request', () => {
    test('with an unknown client or redirect URI shows an error page and never redirects', async () => {
      const browser = await enter()
      for (const wrong of [
        { client_id: 'unknown' },
        { client_id: '' },
        { redirect_uri: evil },
        { redirect_uri: `${callback}/../evil` },
        { redirect_uri: `${callback}?x=1` },
        { redirect_uri: callback.toUpperCase() },
        { redirect_uri: `${callback}#x` },
        { redirect_uri: 'javascript:alert(1)' },
      ]) {
        const query = { ...consentQuery(client), ...wrong } as ConsentQuery
        assertPage(await browser.open(query), 400)
        assertPage(await browser.send({ ...query, allowed: 'true' }), 400)
        assertPage(await browser.logIn(query, user.username, user.password), 400)
        const page = await browser.open(consentQuery(client))
        const forged = { ...readHiddenFields(page.text), ...wrong, allowed: 'true' } as ConsentQuery
        assertPage(await browser.send(forged), 400)
      }
    })

    test('a redirect URI in the query of the form is ignored', async () => {
      const browser = await enter()
      const page = await browser.open(consentQuery(client))
      const fields = { ...readHiddenFields(page.text), allowed: 'true' }
      const url = `/oauth/v2/authorize?redirect_uri=${encodeURIComponent(evil)}`
      const answer = await browser.post(url, fields)
      assert.equal(readRedirect(answer).target, callback)
    })

    test('with several redirect URIs one must be named; with one it may be left out', async () => {
      const several = await addClient(shared.service, { redirectUris: [callback, `${callback}2`] })
      const { redirect_uri: _, ...query } = consentQuery(several)
      assertPage(await createBrowser().open(query), 400)
      const { redirect_uri: __, ...single } = consentQuery(client)
      assertPage(await createBrowser().open(single), 200)
    })

    test('with the challenge method plain or another response type redirects to the application with the error', async () => {
      const { challenge } = createChallenge()
      for (const [wrong, error] of [
        [{ code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
        [{ code_challenge: challenge, code_challenge_method: 'S512' }, 'invalid_request'],
        [{ response_type: 'token' }, 'unsupported_response_type'],
        [{ response_type: '' }, 'invalid_request'],
      ] as const) {
        const query = consentQuery(client, wrong)
        const browser = await enter(query)
        const { target, values } = readRedirect(await browser.decide(query, { allowed: 'true' }))
        assert.equal(target, callback)
        assert.deepEqual([values['error'], values['code']], [error, undefined])
      }
    })

    test('of a client without authorization_code shows an error page', async () => {
      const machine = await addClient(shared.service, {
        grantTypes: ['client_credentials'],
        role: user.roleId,
        redirectUris: [callback],
      })
      assertPage(await createBrowser().open(consentQuery(machine)), 400)
    })
  })

  describe('forgery', () => {
    test('a form without the token of the session gives no code', async () => {
      const browser = await enter()
      const other = await enter()
      const page = await other.open(consentQuery(client))
      const { csrf: foreign = '', ...fields } = readHiddenFields(page.text)
      for (const csrf of [undefined, '', 'x', foreign]) {
        const forged = { ...fields, ...(csrf === undefined ? {} : { csrf }), allowed: 'true' }
        assertPage(await browser.send(forged), 200)
      }
    })

    test('a form from another site is refused, to log in and to consent', async () => {
      const browser = await enter()
      const page = await browser.open(consentQuery(client))
      const fields = { ...readHiddenFields(page.text), allowed: 'true' }
      for (const path of ['/oauth/v2/authorize', '/oauth/v2/authorize_login']) {
        for (const site of ['cross-site', 'same-site'])
          assert.equal((await browser.post(path, fields, { 'sec-fetch-site': site })).status, 403)
      }
    })

    test('an unknown session cookie is ignored', async () => {
      for (const cookie of ['mailyard_session=x', 'mailyard_session=', 'mailyard_session=../..']) {
        const browser = createBrowser()
        browser.cookie = cookie
        assert.match((await browser.open(consentQuery(client))).text, /type="password"/)
      }
    })

    test('a session ends after an hour', async () => {
      const clock = createMovableClock()
      const service = await shared.openAnother({ clock })
      const browser = new ConsentBrowser(service)
      const query = consentQuery(client)
      await browser.logIn(query, user.username, user.password)
      assert.match((await browser.open(query)).text, /name="csrf"/)
      clock.advance(61 * 60_000)
      assert.match((await browser.open(query)).text, /type="password"/)
    })
  })

  test('names and values are escaped wherever they are shown', async () => {
    const script = '<script>alert("1")</script>\'"><img src=x onerror=alert(1)>'
    const dangerous = await addClient(shared.service, { name: script, redirectUris: [callback] })
    const path = `/api/users/${user.id}/edit`
    await shared.ask('PATCH', path, { firstName: script, lastName: '' })
    const query = consentQuery(dangerous, { state: script, scope: script, '<b>': script })
    const browser = createBrowser()
    const pages = [
      await browser.open(query),
      await browser.logIn(query, script, 'wrong'),
      await browser.open({ ...query, client_id: script }),
      await browser.open({ ...query, redirect_uri: script }),
    ]
    await browser.logIn(query, user.username, user.password)
    const consent = await browser.open(query)
    for (const page of [...pages, consent]) assert.doesNotMatch(page.text, /<script|<img|<b>/)
    assert.equal(readHiddenFields(consent.text)['state'], script)
    await shared.ask('PATCH', path, { firstName: '' })
  })
})

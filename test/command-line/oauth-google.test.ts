import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, beforeEach, describe, test } from 'node:test'
import { inspectDsn, readDsnForm } from '../../src/mailer/index.ts'
import { GoogleServer, googleClient, googleRefreshToken } from '../google-server.ts'
import { createFolder } from '../mailyard-process.ts'
import { type CommandResult, type CommandStreams, runMailyard } from '../run-mailyard.ts'

const { clientId, clientSecret } = googleClient
const google = await GoogleServer.start()
const { folder, remove } = createFolder()
const secretFile = join(folder, 'client-secret')
writeFileSync(secretFile, `${clientSecret}\n`)

after(async () => {
  await google.close()
  remove()
})
beforeEach(() => {
  google.behavior = {}
  google.consents.length = 0
  google.exchanges.length = 0
})

const dsn =
  `gmail+oauth://${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}@default` +
  `?refreshToken=${encodeURIComponent(googleRefreshToken)}`

interface Run extends CommandStreams {
  args?: readonly string[]
  env?: Record<string, string>
  /** What the person does with the consent page. */
  visit?: (url: URL) => Promise<unknown>
}

/** Runs the command, and opens the consent page that it prints, as a person does. */
async function run({ args = [], env = {}, visit = fetch, ...streams }: Run = {}) {
  let written = ''
  let isOpened = false
  const visits: Promise<unknown>[] = []
  const result = await runMailyard(['oauth', 'google', '--client-id', clientId, ...args], {
    folder,
    env,
    googleEndpoints: google.endpoints,
    ...streams,
    onOutput(text) {
      written += text
      const [url] = /http:\S+\/auth\?\S+/.exec(written) ?? []
      if (url === undefined || isOpened) return
      isOpened = true
      visits.push(visit(new URL(url)))
    },
  })
  await Promise.all(visits)
  return result
}

const withFile = (...more: string[]) => ['--client-secret-file', secretFile, ...more]

/** Terminals and files get the text of the error, and nothing of the secrets. */
function assertNoSecrets({ stdout, stderr }: CommandResult): void {
  for (const secret of [clientSecret, googleRefreshToken, 'ya29.'])
    assert.ok(!`${stdout}${stderr}`.includes(secret), `${stdout}${stderr}`)
}

describe('mailyard oauth google', { timeout: 60_000 }, () => {
  test('prints the DSN alone on standard output, and the consent page on standard error', async () => {
    const { code, stdout, stderr } = await run({ args: withFile() })
    assert.deepEqual([code, stdout], [0, `${dsn}\n`], stderr)
    const [consent] = google.consents
    assert.equal(consent?.get('login_hint'), null)
    assert.match(consent?.get('redirect_uri') ?? '', /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.match(stderr, /Open this page in a browser/)
  })

  test('prints a DSN that Mailyard reads', async () => {
    const { stdout } = await run({ args: withFile('--mailbox', 'shop@example.com') })
    const inspection = inspectDsn(stdout.trim())
    assert.equal(inspection.valid, true)
    const { transport, warnings } = inspection
    assert.deepEqual(
      [transport.scheme, transport.username, warnings],
      ['gmail+oauth', clientId, []],
    )
    const form = readDsnForm(stdout.trim())
    assert.deepEqual(form?.fields, {
      user: clientId,
      password: clientSecret,
      refreshToken: googleRefreshToken,
      mailbox: 'shop@example.com',
    })
  })

  test('creates a published transport with --save, and says its id and how to test it', async () => {
    await runMailyard(['migrate'], { folder })
    const saved = await run({ args: withFile('--save', 'Shop', '--mailbox', 'shop@example.com') })
    assert.equal(saved.code, 0, saved.stderr)
    assert.match(
      saved.stdout,
      /^Transport "Shop" was created with the id 1\.\nTest it: \S+ transport test 1 --to shop@example\.com\n$/,
    )
    assertNoSecrets(saved)
    const second = await run({
      args: withFile('--save', 'Shop', '--json', '--mailbox', 'shop@example.com'),
    })
    const { warnings, ...item } = JSON.parse(second.stdout)
    assert.deepEqual(item, { id: 2, name: 'Shop', isPublished: true })
    assert.equal(warnings.length, 1)
    const list = await runMailyard(['transport', 'list', '--json'], { folder })
    const [first] = JSON.parse(list.stdout)
    assert.match(first.mailerDsn, /^gmail\+oauth:.*mailbox=shop%40example\.com/)
  })

  test('asks no one for consent where --save could not save', async () => {
    const empty = createFolder()
    try {
      const file = ['--client-secret-file', secretFile]
      const none = await runMailyard(
        ['oauth', 'google', '--client-id', clientId, '--save', 'Shop', ...file],
        { folder: empty.folder, googleEndpoints: google.endpoints },
      )
      assert.equal(none.code, 3)
      assert.match(none.stderr, /Database .* was not found/)
    } finally {
      empty.remove()
    }
    const unnamed = await run({ args: withFile('--save', ' ') })
    assert.deepEqual([unnamed.code, unnamed.stdout, google.consents.length], [2, '', 0])
  })

  test('adds the mailbox to the DSN, and suggests it to Google', async () => {
    const { stdout } = await run({ args: withFile('--mailbox', 'shop+a@example.com') })
    assert.equal(stdout, `${dsn}&mailbox=shop%2Ba%40example.com\n`)
    assert.equal(google.consents[0]?.get('login_hint'), 'shop+a@example.com')
    const wrong = await run({ args: withFile('--mailbox', 'shop') })
    assert.deepEqual([wrong.code, wrong.stdout, google.consents.length], [2, '', 1])
    assert.match(wrong.stderr, /--mailbox "shop" is not an email address/)
  })

  test('answers in JSON with --json', async () => {
    const { stdout } = await run({ args: withFile('--json') })
    assert.deepEqual(JSON.parse(stdout), { mailerDsn: dsn })
  })

  test('takes the secret from standard input in a script, and from a prompt that does not show it in a terminal', async () => {
    const piped = new PassThrough()
    piped.end(`${clientSecret}\n`)
    const script = await run({ stdin: piped as unknown as NodeJS.ReadStream })
    assert.equal(script.stdout, `${dsn}\n`, script.stderr)
    const keys = new PassThrough()
    const stdin = Object.assign(keys, { isTTY: true, setRawMode: () => keys })
    keys.write(`${clientSecret}\r`)
    const terminal = await run({ stdin: stdin as unknown as NodeJS.ReadStream })
    assert.equal(terminal.stdout, `${dsn}\n`)
    assert.match(terminal.stderr, /^Client secret: \n/)
    assert.ok(!terminal.stderr.includes(clientSecret))
  })

  test('says what is missing where no secret is given, and refuses the JSON file of Google', async () => {
    const none = await run()
    assert.deepEqual([none.code, none.stdout], [2, ''])
    assert.match(none.stderr, /standard input, or use --client-secret-file/)
    writeFileSync(join(folder, 'google.json'), `{"installed":{"client_secret":"${clientSecret}"}}`)
    const json = await run({ args: ['--client-secret-file', join(folder, 'google.json')] })
    assert.equal(json.code, 2)
    assert.match(json.stderr, /only the value of `client_secret`/)
    assertNoSecrets(json)
    assert.equal(google.consents.length, 0)
  })

  test('goes on waiting after requests for an icon, of another page, and without the right state', async () => {
    const { code, stdout } = await run({
      args: withFile(),
      async visit(url) {
        const base = url.searchParams.get('redirect_uri') ?? ''
        const state = url.searchParams.get('state') ?? ''
        const requests: [string, RequestInit?][] = [
          ['/favicon.ico'],
          ['/other?code=x'],
          ['/'],
          ['/?code=x'],
          ['/?code=x&state=wrong'],
          ['/?error=access_denied&state=wrong'],
          [`/?state=${state}`],
          [`/?code=x&state=${state}`, { method: 'POST' }],
        ]
        const statuses = []
        for (const [path, init] of requests)
          statuses.push((await fetch(`${base}${path}`, init)).status)
        assert.deepEqual(statuses, [404, 404, 400, 400, 400, 400, 400, 405])
        const page = await fetch(url)
        assert.equal(page.status, 200)
        assert.match(await page.text(), /You can close this window/)
        assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
      },
    })
    assert.deepEqual([code, stdout], [0, `${dsn}\n`])
    assert.equal(google.exchanges.length, 1)
  })

  test('uses the first of two tabs that come back, once', async () => {
    const { stdout } = await run({
      args: withFile(),
      visit: (url) => Promise.allSettled([fetch(url), fetch(url)]),
    })
    assert.equal(stdout, `${dsn}\n`)
    assert.equal(google.exchanges.length, 1)
  })

  const refusals: Record<string, [GoogleServer['behavior'], RegExp]> = {
    'a denied consent': [{ isDenied: true }, /access_denied.*Repeat the sign-in/],
    'an answer of another issuer': [{ issuer: 'https://evil.example' }, /iss.*Repeat the sign-in/],
    'an answer without a refresh token': [
      { tokens: { refresh_token: undefined } },
      /no refresh token.*myaccount\.google\.com/,
    ],
    'a consent without the mailbox': [{ tokens: { scope: 'openid' } }, /does not include/],
  }
  for (const [name, [behavior, message]] of Object.entries(refusals)) {
    test(`${name} ends with a sentence, and prints no DSN`, async () => {
      google.behavior = behavior
      const result = await run({ args: withFile() })
      assert.deepEqual([result.code, result.stdout], [2, ''])
      assert.match(result.stderr, message)
      assertNoSecrets(result)
    })
  }

  test('a wrong secret is named, with the type that the client must have', async () => {
    writeFileSync(join(folder, 'wrong'), 'GOCSPX-wrong')
    const { code, stdout, stderr } = await run({
      args: ['--client-secret-file', join(folder, 'wrong')],
    })
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /invalid_client.*"Desktop app"/)
    assert.ok(!stderr.includes('GOCSPX-wrong'))
  })

  test('warns that the token of an app in testing expires', async () => {
    google.behavior = { tokens: { refresh_token_expires_in: 604_799 } }
    const { stdout, stderr } = await run({ args: withFile() })
    assert.equal(stdout, `${dsn}\n`)
    assert.match(stderr, /expires in 7 days.*publish the app/)
  })

  test('ends at its time limit, and says what may have gone wrong', async () => {
    const result = await run({
      args: withFile('--wait-seconds', '1'),
      visit: () => Promise.resolve(),
    })
    assert.deepEqual([result.code, result.stdout], [5, ''])
    assert.match(result.stderr, /did not answer within 1 s\..*"Desktop app"/)
  })

  test('ends at Ctrl+C, and leaves nothing open', async () => {
    let interrupt: () => void = () => undefined
    let redirectUri = ''
    const result = await run({
      args: withFile(),
      onInterrupt: (listener) => {
        interrupt = listener
      },
      async visit(url) {
        redirectUri = url.searchParams.get('redirect_uri') ?? ''
        interrupt()
        await Promise.resolve()
      },
    })
    assert.deepEqual([result.code, result.stdout], [2, ''])
    assert.match(result.stderr, /Stopped\. No token was fetched\./)
    await assert.rejects(fetch(redirectUri))
  })

  test('opens the page with xdg-open where there is a desktop, unless --no-browser is given', async () => {
    const opener = join(folder, 'xdg-open')
    const opened = join(folder, 'opened')
    writeFileSync(
      opener,
      `#!/bin/sh\nprintf %s "$1" > ${opened}.new && mv ${opened}.new ${opened}\n`,
    )
    chmodSync(opener, 0o755)
    const env = { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ':0' }
    const visit = async (url: URL) => {
      while (!existsSync(opened)) await new Promise((resolve) => setTimeout(resolve, 10))
      assert.equal(readFileSync(opened, 'utf8'), url.href)
      await fetch(url)
    }
    const { stdout } = await run({ args: withFile(), env, visit })
    assert.equal(stdout, `${dsn}\n`)
    writeFileSync(opened, 'nothing')
    await run({ args: withFile('--no-browser'), env })
    assert.equal(readFileSync(opened, 'utf8'), 'nothing')
    // One that cannot be started does no harm.
    chmodSync(opener, 0o644)
    assert.equal((await run({ args: withFile(), env })).stdout, `${dsn}\n`)
  })
})

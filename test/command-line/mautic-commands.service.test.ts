import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { addTransport } from '../callers.ts'
import { createFolder } from '../mailyard-process.ts'
import { type MauticDouble, startMauticDouble } from '../mautic-double/mautic-double.ts'
import { type CommandStreams, runMailyard } from '../run-mailyard.ts'
import { openDialogue } from '../smtp-dialogue.ts'
import { openTestApp, type TestApp, type TestBody } from '../test-app.ts'

const { folder, remove } = createFolder()
const secretFile = join(folder, 'secret')

describe('the commands of Mautics, while a server runs', { timeout: 180_000 }, () => {
  let service: TestApp
  let mautic: MauticDouble
  let smtpPort: number

  let base: string

  before(async () => {
    service = await openTestApp()
    base = await service.listen()
    smtpPort = (await service.openSmtpServer()).port ?? 0
    mautic = await startMauticDouble()
    writeFileSync(secretFile, `${mautic.client.clientSecret}\n`)
    await addTransport(service, { name: 'Box', mailerDsn: 'inbox://local' })
  })
  after(async () => {
    await mautic?.close()
    await service?.close()
    remove()
  })

  const run = (args: string[], options: CommandStreams & { env?: Record<string, string> } = {}) =>
    runMailyard(args, {
      ...{ folder, databaseUrl: service.database.url, ...options },
      env: {
        MAILYARD_SECRET_KEY: 'a secret key for tests, of 32 characters or more',
        MAILYARD_SMTP_PORT: String(smtpPort),
        ...options.env,
      },
    })
  const credentials = () => [
    '--client-id',
    mautic.client.clientId,
    '--client-secret-file',
    secretFile,
  ]
  const box = ['--transport', 'Box']
  const submit = async (login: string, password: string) => {
    const dialogue = await openDialogue(smtpPort)
    await dialogue.say('EHLO mautic.test')
    await dialogue.logIn(login, password)
    const raw = 'From: news@shop.test\r\nTo: ann@rcpt.test\r\nSubject: Test\r\n\r\nHello'
    await dialogue.hand({ from: 'news@shop.test', to: ['ann@rcpt.test'], raw })
    dialogue.end()
  }
  const readMautics = async () => (await service.ask('GET', '/api/mautics')).body.mautics

  /** Connects the Mautic under a name, without waiting for its first message. */
  const connect = (name: string, ...args: string[]) =>
    run([
      ...['mautics', 'connect', mautic.url, '--name', name, '--no-wait'],
      ...credentials(),
      ...args,
    ])
  const dsnIn = (text: string) => /smtp:\/\/([0-9a-f]+):([0-9a-f]{64})@/.exec(text) ?? []
  /** Connects the Mautic, and submits its first message once that is waited for. */
  const connectAndSubmit = async (name: string, ...args: string[]) => {
    let written = ''
    let submitted: Promise<unknown> | undefined
    const words = ['mautics', 'connect', mautic.url, '--name', name, ...credentials(), ...args]
    const result = await run(words, {
      onOutput(text) {
        written += text
        const [, login, password] = dsnIn(written)
        if (written.includes('Waiting') && login && password) submitted ??= submit(login, password)
      },
    })
    await submitted
    return result
  }

  test('connect prints the DSN once, checks each stage, and says what is left to do', async () => {
    const { code, stdout, stderr } = await connect('shop', ...box)
    assert.equal(code, 0, stderr)
    const [{ smtpLogin }] = await readMautics()
    assert.equal(dsnIn(stdout)[1], smtpLogin)
    for (const stage of ['reach', 'authenticate', 'permissions', 'users', 'emails', 'contacts'])
      assert.match(stdout, new RegExp(`ok +${stage} `))
    assert.match(stdout, /X-Contact-Id +\{contactfield=id\}\n +X-Owner-Id +/)
    assert.match(stdout, /No webhook was created, .* set MAILYARD_PUBLIC_URL or use --webhook-url/)
    assert.equal(`${stdout}${stderr}`.includes(mautic.client.clientSecret), false)
    const elsewhere = ['mautics', 'connect', 'http://127.0.0.1:1', '--name', 'shop', '--no-wait']
    assert.equal((await run([...elsewhere, ...credentials()])).code, 4)
    assert.match((await run(['mautics', 'list'])).stdout, /^id +name .*\n1 +shop .* http:/)
    assert.equal((await run(['queue', 'list', '--mautic', 'shop'])).code, 0)
  })

  test('connect continues after a failed check, and shows the DSN again with a new password', async () => {
    const wrongFile = join(folder, 'wrong-secret')
    writeFileSync(wrongFile, 'wrong\n')
    const { clientId } = mautic.client
    const args = ['mautics', 'connect', mautic.url, '--name', 'retried', ...box]
    args.push('--wait-seconds', '1')
    const wrong = ['--client-id', clientId, '--client-secret-file', wrongFile]
    const failed = await run([...args, ...wrong])
    assert.equal(failed.code, 5, failed.stderr)
    assert.doesNotMatch(failed.stdout, /Waiting for it|send a test/)
    assert.match(failed.stdout, /Repair what has failed, and repeat this command/)
    const again = await connect('retried', ...box)
    assert.equal(again.code, 0, again.stderr)
    assert.deepEqual(dsnIn(again.stdout), [])
    const renewed = await connect('retried', ...box, '--new-password')
    assert.equal(renewed.code, 0, renewed.stderr)
    const [dsn] = dsnIn(renewed.stdout)
    assert.ok(dsn !== undefined && dsn !== dsnIn(failed.stdout)[0])
    const named = (await readMautics()).filter(({ name }: { name: string }) => name === 'retried')
    assert.equal(named.length, 1)
  })

  test('connect creates the webhook in Mautic, unless it is not wanted', async () => {
    const url = ['--webhook-url', base]
    const none = await connect('without', ...box, ...url, '--no-webhook')
    assert.deepEqual([none.code, mautic.data.hooks.size], [0, 0])
    const elsewhere = await connect('elsewhere', ...box, '--webhook-url', mautic.url)
    assert.match(elsewhere.stdout, /webhook was not created: .* does not lead to this Mailyard/)
    assert.equal(mautic.data.hooks.size, 0)
    await connect('unproven', ...box, '--webhook-url', mautic.url, '--webhook-unproven')
    assert.equal(mautic.data.hooks.size, 1)
    const { code, stdout, stderr } = await connect('with', ...box, ...url)
    assert.equal(code, 0, stderr)
    const [, hook] = mautic.data.hooks.values()
    assert.match(hook.webhookUrl, /\/webhooks\/mautic\/\d+$/)
    assert.ok(hook.webhookUrl.startsWith(base))
    assert.ok(stdout.includes(hook.webhookUrl))
    assert.equal(`${stdout}${stderr}`.includes(hook.secret), false)
    // It would name what the next step of the command repairs.
    for (const isPublished of [true, false]) {
      hook.isPublished = isPublished
      const again = await connect('with', ...box, ...url)
      assert.equal(again.code, 0, again.stderr)
      assert.doesNotMatch(again.stdout, /skipped|Create it|unpublished/)
      assert.match(again.stdout, /Webhook \d+ of this Mautic leads to /)
    }
    assert.doesNotMatch(stdout, /skipped|Create it/)
  })

  test('connect waits for the first message, and shows its outcome', async () => {
    const { code, stdout, stderr } = await connectAndSubmit('live', ...box)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /ann@rcpt\.test has come .*: accepted, transport "Box"/)
  })

  test('connect exits with 1 where the first message waits, and says what to do', async () => {
    const { code, stdout, stderr } = await connectAndSubmit('waiting')
    assert.equal(code, 1, stderr)
    assert.match(stdout, /ann@rcpt\.test has come\. It is stored, not sent, and waits: 451/)
    assert.match(stdout, /Give the Mautic a transport: .*--name waiting --transport ID/)
    const repaired = await connectAndSubmit('waiting', '--transport', 'inbox')
    assert.equal(repaired.code, 0, repaired.stderr)
    assert.match(repaired.stdout, /ann@rcpt\.test has come .*: accepted/)
  })

  /** Connects in a terminal, with these answers to the questions. */
  const connectInTerminal = (...answers: string[]) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
    let asked = 0
    return run(['mautics', 'connect', mautic.url, '--no-wait'], {
      stdin: stdin as unknown as NodeJS.ReadStream,
      onOutput(text) {
        if (!/: $/.test(text)) return
        setImmediate(() => stdin.write(`${answers[asked++]}\r`))
      },
    })
  }

  test('connect asks for what is missing in a terminal, a user first, and does not show the password', async () => {
    const { username, password } = mautic.administrator
    const { code, stdout, stderr } = await connectInTerminal('asked', username, password, 'inbox')
    assert.equal(code, 0, stderr)
    assert.equal(`${stdout}${stderr}`.includes(password), false)
    const [item] = (await readMautics()).filter(({ name }: TestBody) => name === 'asked')
    assert.deepEqual([item.username, item.clientId], [username, null])
    const transport = await service.ask('GET', `/api/multipleTransports/${item.transportId}`)
    assert.equal(transport.body.mailerDsn, 'inbox://local')
  })

  test('connect asks for API credentials where no user is named', async () => {
    const { clientId, clientSecret } = mautic.client
    const answers = ['keys', '', clientId, clientSecret, 'inbox']
    const { code, stdout, stderr } = await connectInTerminal(...answers)
    assert.equal(code, 0, stderr)
    assert.equal(`${stdout}${stderr}`.includes(clientSecret), false)
    const [item] = (await readMautics()).filter(({ name }: TestBody) => name === 'keys')
    assert.deepEqual([item.username, item.clientId], [null, clientId])
  })

  test('connect without a log-in or a terminal names the options, and connects nothing', async () => {
    const before = await readMautics()
    const missing = await run(['mautics', 'connect', mautic.url])
    assert.equal(missing.code, 2)
    assert.match(missing.stderr, /Use --user and --password-file\.\n$/)
    const half = await run(['mautics', 'connect', mautic.url, '--user', 'admin'])
    assert.match(half.stderr, /Use --password-file\.\n$/)
    const wrong = await run(['mautics', 'connect', 'ftp://x', ...credentials(), '--no-wait'])
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, /url/)
    assert.equal((await readMautics()).length, before.length)
  })

  test('check exits with 5 where Mautic cannot be used, and says what to do', async () => {
    mautic.behaviour.fault = ({ path }) => (path.startsWith('/api/users') ? 500 : undefined)
    const failed = await run(['mautics', 'check', 'shop'])
    mautic.behaviour.fault = () => undefined
    assert.equal(failed.code, 5)
    assert.match(failed.stdout, /\n\w+ +failed .*answered 500.* Look into the log of Mautic/)
    const passed = await run(['mautics', 'check', '1', '--json'])
    assert.equal(passed.code, 0, passed.stderr)
    assert.equal(JSON.parse(passed.stdout).success, true)
  })

  test('import from a Mautic without the plug-ins says that they are not there', async () => {
    const { code, stdout } = await run(['mautics', 'import', 'shop'])
    assert.equal(code, 0)
    assert.match(stdout, /The plug-in Multiple Transport is not there/)
    assert.match(stdout, /The plug-in Twig Templates is not there/)
    assert.match(stdout, /0 to write/)
  })
})

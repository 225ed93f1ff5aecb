import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, before, test } from 'node:test'
import { createFolder } from '../mailyard-process.ts'
import { type CommandStreams, runMailyard } from '../run-mailyard.ts'
import { wordsOf } from './words.ts'

const { folder, remove } = createFolder()
const secret = 'S3cret'
/** No table has a line that is longer. */
const columns = 60

before(async () => {
  const files = {
    dsn: `smtp://user:${secret}@127.0.0.1:1\n`,
    'footer.twig': 'Example Ltd\n{{ 1 }}\n',
    'addresses.csv': 'address,reason\nerin@example.net,bounced\n',
    'limits.json': JSON.stringify([{ name: 'One', perDay: 1, transports: [1] }, { name: '' }]),
    password: 'long enough\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  assert.equal((await run('migrate')).code, 0)
})
after(remove)

function run(line: string, streams: CommandStreams = {}) {
  // The API is disabled for others only.
  const env = { MAILYARD_API_ENABLED: '0', MAILYARD_ADMIN_EMAIL: 'ada@example.com' }
  return runMailyard(wordsOf(line), { folder, env, ...streams })
}

interface Case {
  code?: number
  /** What standard output and standard error have; without it, standard error has nothing. */
  out?: RegExp
  err?: RegExp
  input?: string
}

// cspell:ignore lsit
/** Commands, one after another on the same database. */
const cases: [line: string, expected: Case][] = [
  // Records: created, found by id and by name, changed.
  [
    'transports create --name Box --mailer-dsn inbox://local',
    { out: /^id: +1\nname: +Box\n/, err: /warning: inbox:\/\/local captures/ },
  ],
  [
    'transports create --name Shop --mailer-dsn @dsn',
    { out: /\nmailerDsn: +smtp:\/\/user:\*{8}@127\.0\.0\.1:1\n/ },
  ],
  [
    'transports list',
    { out: /^id +name +isPublished +mailerDsn .*\n1 +Box +yes .*\n2 +Shop +yes / },
  ],
  ['transports list --search shop --fields id,name', { out: /^id +name\n2 +Shop\n$/ }],
  ['--json transports list --limit 1 --fields id', { out: /^\[\s*\{\s*"id": 1\s*\}\s*\]\n$/ }],
  [
    'transports list --limit 1',
    { out: /Box/, err: /^more: 1 of 2 are shown; --start 1 continues/ },
  ],
  ['transports list --search nothing', {}],
  ["transport get ' BOX '", { out: /^id: +1\n/, err: /^warning: inbox/ }],
  ['transports edit shop --no-is-published --description null', { out: /isPublished: +no\n/ }],
  [
    'transports create --name box --mailer-dsn null://null',
    { out: /^id: +3/, err: /warning: .*same|Box/i },
  ],
  [
    'transports get Box',
    { code: 4, err: /^error: Several transports are named "Box" \(ids 1, 3\)\. Use the id/ },
  ],
  ['transports delete 3', { out: /^Transport 3 was deleted\.\n$/ }],
  [
    'transports get Bax',
    { code: 3, err: /^error: Transport "Bax" was not found\. `.*transports list`/ },
  ],
  ['transports get 99', { code: 3, err: /^error: Transport not found/ }],
  // Bodies: members, lists, nested values, files and standard input.
  ['limits create --name Day --per-day 3 --transports Box,2', { out: /\ntransports: +1, 2\n/ }],
  ['limits edit Day --per-day null --per-hour 7', { out: /^((?!perDay)[\s\S])*perHour: +7\n/ }],
  [
    'limits batch-create --data @limits.json',
    { code: 1, out: /^statusCodes: +201, 400\n[\s\S]*\nlimits:\nid +name/ },
  ],
  ['limits batch-create --data -', { input: '[{"name": "Two", "perDay": 1}]', out: /\n3 +Two/ }],
  ['limits edit 1 --data \'{"perDay": 5}\' --per-hour 8', { out: /perHour: +8\nperDay: +5\n/ }],
  [
    'templates create --name footer --template @footer.twig',
    { out: /\n\ntemplate:\nExample Ltd\n\{\{ 1 \}\}\n$/ },
  ],
  [
    `roles create --name Sender --raw-permissions '{"email": ["send"]}'`,
    { out: /rawPermissions\.email: +send\n/ },
  ],
  ['roles create --name Änderer', { out: /^id: +3\n/ }],
  ["roles get ' ÄNDERER'", { out: /^id: +3\n/ }],
  [
    'clients create --name app --grant-types client_credentials --role sender',
    { out: /clientSecret: +\S{20,}\n/ },
  ],
  [
    'suppressions import --data @addresses.csv',
    { out: /^created: +1\nupdated: +0\nfailed: +0\n$/ },
  ],
  ['suppressions list --reason bounced', { out: /erin@example\.net/ }],
  [
    'users add ann --email ann@example.com --role SENDER --password-file password',
    { out: /^User ann was added with the id 2\.\n$/ },
  ],
  ['user password ann --password-file password', { out: /^The password of ann was set\./ }],
  // What is sent, and what is found of it.
  [
    'contacts create --email jane@example.com --firstname Jane',
    { out: /\nfields\.all\.firstname: +Jane\n/ },
  ],
  ['contacts list', { out: /^id +email +firstname .*\n1 +jane@example\.com +Jane / }],
  ["transports assign-email 'Sample email' --transport-id Box", { out: /transport: +Box\n/ }],
  ["emails send-to-contact 'sample EMAIL' jane@example.com", { out: /^Done\.\n$/ }],
  [
    "deliveries list --transport-id box --email-id 'Sample email' --contact-id jane@example.com",
    { out: /^id +date .*\n1 .* jane@example\.com +Hello Jane +accepted +Box / },
  ],
  ['deliveries get 1', { out: /\ndelivery\.outcome: +accepted\n[\s\S]*\n\ndelivery\.trace:\n/ }],
  ['deliveries export', { out: /^id,date,[\s\S]*\n1,.*jane@example\.com/ }],
  ['inbox get-source 1', { out: /^From: [\s\S]*\r\nSubject: Hello Jane\r\n/ }],
  ['transports test box', { out: /^stages:\nstage +outcome[\s\S]*\n\nCaptured, not sent: .*\n$/ }],
  [
    'transports test Shop --to ann@example.com',
    { code: 5, out: /\nconnect +failed [\s\S]*\nNothing answers at .*\n$/ },
  ],
  ['queue count', { out: /^total\.queued: +0\n/ }],
  [
    'queue hold --transport-id box --dry-run',
    { out: /^changed: +0\nskipped: +0\n$/, err: /^dry run: nothing was changed\.\n$/ },
  ],
  ['dkim-keys create --domain example.com', { out: /\nrecord\.value: +v=DKIM1; k=rsa; p=\w/ }],
  ['contacts delete jane@example.com', { out: /^Contact 1 was deleted\.\n$/ }],
  ['contacts restore 1', { out: /\nfields\.all\.email: +jane@example\.com\n/ }],
  // Wrong commands.
  [
    'transports create',
    { code: 2, err: /^error: --name is required\nerror: --mailer-dsn is required\n$/ },
  ],
  [
    'transports create --mailer-dsn @missing',
    { code: 2, err: /^error: The file missing cannot be read: .*@@/ },
  ],
  ['limits create --warm-up {', { code: 2, err: /^error: --warm-up must be JSON: / }],
  ['limits batch-create', { code: 2, err: /^error: Give the body with --data: / }],
  ["inbox delete ''", { code: 2, err: /^error: The argument <id> is empty\.\n$/ }],
  [
    'transports lsit',
    { code: 2, err: /^error: Unknown command "transports lsit"\. Did you mean "list"\?\n$/ },
  ],
]

for (const [line, { code = 0, out = /^$/, err = /^$/, input }] of cases)
  test(line, async () => {
    const stdin =
      input === undefined
        ? {}
        : { stdin: new PassThrough().end(input) as unknown as NodeJS.ReadStream }
    const result = await run(line, stdin)
    assert.match(result.stderr, err)
    assert.match(result.stdout, out)
    assert.equal(result.code, code)
    assert.doesNotMatch(result.stdout + result.stderr, new RegExp(secret))
  })

test('JSON is the answer as the API sends it', async () => {
  const { stdout } = await run('transports get Shop --json')
  assert.equal(JSON.parse(stdout).mailerDsn, `smtp://user:${secret}@127.0.0.1:1`)
  const missing = await run('transports get 99 --json')
  assert.deepEqual([missing.code, missing.stderr], [3, ''])
  assert.equal(JSON.parse(missing.stdout).success, false)
})

test('a terminal shows the names of ids and separators in amounts, in its width', async () => {
  await run('limits edit 2 --per-day 50000 --transports Box')
  const { stdout } = await run('limits list --fields id,perDay,transports', { columns: 40 })
  assert.match(stdout, /\n2 +50,000 +1 \(Box\)\n/)
})

test('a deletion is confirmed in a terminal, unless --yes says so', async () => {
  const deleteIn = async (line: string, answer: string) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
    return run(line, {
      columns,
      stdin: stdin as unknown as NodeJS.ReadStream,
      onOutput: (text) => {
        if (text.endsWith(': ')) setImmediate(() => stdin.write(`${answer}\r`))
      },
    })
  }
  const kept = await deleteIn('limits delete 1', 'n')
  assert.equal(kept.code, 2)
  assert.match(kept.stderr, /Delete a Limit 1\. Type "yes"[\s\S]*error: Nothing was changed\.\n$/)
  assert.equal((await run('limits get 1')).code, 0)
  assert.equal((await deleteIn('limits delete 1 --dry-run', 'n')).code, 0)
  assert.equal((await deleteIn('limits delete 1', 'yes')).code, 0)
  assert.equal((await deleteIn('limits delete 2 --yes', 'n')).code, 0)
  assert.equal((await run('limits get 2')).code, 3)
})

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { AppError } from '../../kit/app-error.ts'
import { findMemoryFault, memoryMegabytes } from './config.ts'
import { readConfig } from './read-config.ts'

// cspell:ignore DATABSE
let folder = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailyard-config-'))
})
after(() => rmSync(folder, { recursive: true }))

test('the memory follows the largest message, and one that is too small for it is a fault', () => {
  const read = (env: Record<string, string>) =>
    readConfig(env, folder, { memoryMegabytesMax: findMemoryFault }).config
  assert.equal(memoryMegabytes(read({})), 300)
  assert.equal(memoryMegabytes(read({ MAILYARD_SMTP_MESSAGE_MEGABYTES: '1' })), 300)
  assert.equal(memoryMegabytes(read({ MAILYARD_SMTP_MESSAGE_MEGABYTES: '100' })), 1_200)
  assert.equal(memoryMegabytes(read({ MAILYARD_MEMORY_MEGABYTES: '200' })), 200)
  assert.throws(() => read({ MAILYARD_MEMORY_MEGABYTES: '199' }), /must be at least 200: 8 times/)
  const small = { MAILYARD_MEMORY_MEGABYTES: '127', MAILYARD_SMTP_MESSAGE_MEGABYTES: '1' }
  assert.throws(() => read(small), /must be at least 128/)
})

test('a missing file, and a value beside its file, are faults', () => {
  const missing = { MAILYARD_ADMIN_PASSWORD_FILE: join(folder, 'nowhere') }
  assert.throws(() => readConfig(missing, folder), /MAILYARD_ADMIN_PASSWORD: ENOENT/)
  const both = { MAILYARD_HOST: 'x', MAILYARD_HOST_FILE: join(folder, 'password') }
  assert.throws(() => readConfig(both, folder), /set only one of them/)
})

test('.env is read, and the environment takes precedence', () => {
  writeFileSync(join(folder, '.env'), 'MAILYARD_PORT=9000\nMAILYARD_HOST=0.0.0.0\n')
  const { config } = readConfig({ MAILYARD_PORT: '9001' }, folder)
  rmSync(join(folder, '.env'))
  assert.equal(config.port, 9001)
  assert.equal(config.host, '0.0.0.0')
})

test('the settings in force name their source, and no secret', () => {
  const file = join(folder, 'dsn')
  writeFileSync(file, 'smtp://user:Secret1@mail.example.com\n')
  writeFileSync(join(folder, '.env'), 'MAILYARD_PORT=9000\n')
  const env = { MAILYARD_MAILER_DSN_FILE: file, MAILYARD_HOST: '0.0.0.0' }
  const { settings } = readConfig(env, folder)
  rmSync(join(folder, '.env'))
  const find = (name: string) => settings.find((each) => each.name === name)
  const of = (name: string) => [find(name)?.value, find(name)?.source]
  assert.deepEqual(of('MAILYARD_MAILER_DSN'), ['set', 'file'])
  assert.deepEqual(of('MAILYARD_SECRET_KEY'), ['not set', 'default'])
  assert.deepEqual(of('MAILYARD_PORT'), ['9000', '.env'])
  assert.deepEqual(of('MAILYARD_HOST'), ['0.0.0.0', 'environment'])
  assert.ok(!JSON.stringify(settings).includes('Secret1'))
})

test('a misspelt name is a warning', () => {
  const { warnings } = readConfig({ MAILYARD_DATABSE_URL: 'sqlite:x' }, folder)
  assert.deepEqual(warnings, ['MAILYARD_DATABSE_URL is not a setting of Mailyard and is ignored.'])
})

test('source addresses are IP addresses, one by one', () => {
  const name = 'MAILYARD_SOURCE_ADDRESSES'
  const { config } = readConfig({ [name]: '192.0.2.10, 2001:db8::1' }, folder)
  assert.deepEqual(config.sourceAddresses, ['192.0.2.10', '2001:db8::1'])
  assert.deepEqual(readConfig({ [name]: '' }, folder).config.sourceAddresses, [])
  for (const wrong of [
    '192.0.2.0/24',
    '[2001:db8::1]',
    'mail.example.com',
    '192.0.2.10 192.0.2.11',
  ])
    assert.throws(
      () => readConfig({ [name]: `192.0.2.9,${wrong}` }, folder),
      (error: AppError) =>
        error.message.includes(`${name} "192.0.2.9,${wrong}": "${wrong}" must be an IP address`),
    )
})

test('DNS servers are at most three IP addresses, with or without a port', () => {
  const name = 'MAILYARD_DNS_SERVERS'
  const list = ['192.0.2.53', '192.0.2.54:5353', '[2001:db8::53]:5353']
  assert.deepEqual(readConfig({ [name]: list.join(', ') }, folder).config.dnsServers, list)
  assert.deepEqual(readConfig({}, folder).config.dnsServers, [])
  for (const wrong of [
    'dns.example.com',
    '192.0.2.53:0',
    '192.0.2.53:70000',
    `${list.join()},::1`,
  ]) {
    assert.throws(() => readConfig({ [name]: wrong }, folder), AppError, wrong)
  }
})

test('an empty SMTP port disables the SMTP server, and trusted networks name their user', () => {
  const { config } = readConfig(
    { MAILYARD_SMTP_PORT: '', MAILYARD_SMTP_TRUSTED_NETWORKS: '10.1.0.0/16=mautic, ::1=ci bot' },
    folder,
  )
  assert.equal(config.smtpPort, undefined)
  assert.deepEqual(config.smtpTrustedNetworks, [
    { network: '10.1.0.0/16', username: 'mautic' },
    { network: '::1', username: 'ci bot' },
  ])
  for (const wrong of ['10.1.0.0/33=a', 'nowhere=a', '10.0.0.1', '10.0.0.1=']) {
    assert.throws(() => readConfig({ MAILYARD_SMTP_TRUSTED_NETWORKS: wrong }, folder), AppError)
  }
})

test('allowed recipients are addresses and domains, also international ones; a list that names none is a fault', () => {
  const name = 'MAILYARD_ALLOWED_RECIPIENTS'
  const read = (text: string) => readConfig({ [name]: text }, folder).config.allowedRecipients
  assert.equal(read(''), undefined)
  assert.deepEqual(read('Ann@Example.com, bücher.example,x@bücher.example'), [
    'Ann@Example.com',
    'bücher.example',
    'x@bücher.example',
  ])
  for (const wrong of ['@example.com', '*.example.com', 'ann@', 'a b@example.com', '192.0.2.1'])
    assert.throws(
      () => read(`example.org,${wrong}`),
      (error: Error) => error.message.includes(`"${wrong}" must be an address or a domain`),
      wrong,
    )
  assert.throws(() => read(' , '), /must name an address or a domain/)
})

test('a sendmail command that would read recipients from the message is a fault', () => {
  const read = (text: string) => readConfig({ MAILYARD_SENDMAIL_COMMAND: text }, folder).config
  assert.deepEqual(read('/usr/sbin/sendmail -i').sendmailCommand, ['/usr/sbin/sendmail', '-i'])
  for (const word of ['-t', '-ti', '-it', '-tv', '-itv', '-vnt'])
    assert.throws(() => read(`/usr/sbin/sendmail -oem ${word}`), /must not have -t/)
  assert.equal(read('/usr/sbin/sendmail -fnews@test.example').sendmailCommand?.length, 2)
})

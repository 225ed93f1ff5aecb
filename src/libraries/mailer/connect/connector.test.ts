import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import type { FaultCode } from '../delivery/fault.ts'
import { createMailer } from '../mailer.ts'
import type { MailerOptions } from '../mailer-options.ts'
import { startApiServer } from '../testing/api-server.case.test.ts'
import { createAuthority, createSelfSigned } from '../testing/certificates.case.test.ts'
import { sendOnce } from '../testing/sample-message.case.test.ts'
import { startScriptedServer } from '../testing/smtp-server.case.test.ts'

/** A look-up that finds these addresses, whatever the name. */
function finding(...addresses: string[]): MailerOptions['lookup'] {
  return async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

function failing(code: string): MailerOptions['lookup'] {
  return () => Promise.reject(Object.assign(new Error(`getaddrinfo ${code}`), { code }))
}

test('an unknown host and a DNS server that does not answer have different faults', async () => {
  const cases: [MailerOptions['lookup'], FaultCode][] = [
    [failing('ENOTFOUND'), 'host_not_found'],
    [finding(), 'host_not_found'],
    [failing('EAI_AGAIN'), 'lookup_failed'],
    [() => new Promise(() => undefined), 'lookup_failed'],
  ]
  for (const [lookup, code] of cases) {
    const timeouts = { resolveMs: 1000 }
    const { fault } = await sendOnce('smtp://mail.example.com:25', { lookup, timeouts })
    assert.equal(fault?.code, code)
    assert.equal(fault?.stage, 'resolve')
    assert.equal(fault?.scope, 'member')
  }
})

test('no connection is made to an address that the policy refuses, over SMTP or HTTPS', async () => {
  let connections = 0
  const trap = createServer(() => {
    connections += 1
  })
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
  const port = (trap.address() as { port: number }).port
  const policy = { mode: 'public' } as const
  for (const dsn of [
    `smtp://localhost:${port}`,
    `smtp://127.0.0.1:${port}`,
    `smtps://127.1:${port}`,
    `smtp://0x7f000001:${port}`,
    `smtp://[::ffff:127.0.0.1]:${port}`,
    `smtp://mail.example.com:${port}`,
    `postmark+api://TOKEN@127.0.0.1:${port}`,
    `postmark+api://TOKEN@localhost:${port}`,
  ]) {
    const lookup = dsn.includes('example') ? finding('127.0.0.1') : undefined
    const { fault, outcome } = await sendOnce(dsn, { policy, lookup })
    assert.equal(fault?.code, 'address_blocked', dsn)
    assert.equal(outcome, 'refused')
    assert.doesNotMatch(fault?.message ?? '', /TOKEN/)
  }
  assert.equal(connections, 0)
  await new Promise((resolve) => trap.close(resolve))
})

test('metadata services are refused in the mode open too', async () => {
  for (const dsn of [
    'smtp://169.254.169.254:25',
    'mautic+ses+api://K:S@default?endpoint=169.254.169.254',
    'postmark+api://T@[fd00:ec2::254]',
  ])
    assert.equal((await sendOnce(dsn, {})).fault?.code, 'address_blocked', dsn)
})

for (const [what, refused] of [
  ['that the policy refuses', '169.254.169.254'],
  // Nothing listens on this loopback address.
  ['that does not respond', '127.0.0.99'],
] as const)
  test(`after an address ${what} the next one is tried`, async () => {
    const server = await startScriptedServer()
    const lookup = finding(refused, '127.0.0.1')
    const result = await sendOnce(`smtp://mail.example.com:${server.port}`, { lookup })
    assert.equal(result.outcome, 'accepted', result.fault?.message)
    await server.close()
  })

test('the connection goes to the checked address, even if the host resolves to another one later', async () => {
  const server = await startScriptedServer()
  let lookups = 0
  const result = await sendOnce(`smtp://rebinding.example:${server.port}`, {
    lookup: async () => {
      lookups += 1
      return [{ address: lookups === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }]
    },
  })
  assert.equal(result.outcome, 'accepted', result.fault?.message)
  assert.equal(lookups, 1)
  await server.close()
})

test('it connects over IPv6', async (context) => {
  const probe = createServer()
  const hasIPv6 = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false))
    probe.listen(0, '::1', () => resolve(true))
  })
  probe.close()
  if (!hasIPv6) return context.skip('this machine has no IPv6')
  const server = await startScriptedServer({ address: '::1' })
  const result = await sendOnce(`smtp://[::1]:${server.port}?require_tls=0`, {})
  assert.equal(result.outcome, 'accepted', result.fault?.message)
  await server.close()
})

test("the test of an API reports its steps, and a refusal quotes the provider's text", async () => {
  const authority = createAuthority()
  const server = await startApiServer(authority.issue({ names: ['localhost'] }))
  const mailer = createMailer({ certificates: [authority.cert] })
  const addresses = { from: 'a@example.com', to: 'b@example.com', hasTranscript: true }
  server.respondWith({ status: 200, body: '{"ErrorCode":0,"MessageID":"id-1"}' })
  const good = await mailer.test(`postmark+api://T0KEN@${server.host}`, addresses)
  assert.equal(good.success, true, good.message)
  const goodOutcomes = good.stages.map(({ stage, outcome }) => `${stage} ${outcome}`)
  assert.deepEqual(goodOutcomes, ['parse ok', 'resolve ok', 'connect ok', 'tls ok', 'request ok'])
  server.respondWith({
    status: 422,
    body: '{"ErrorCode":401,"Message":"T0KEN: sender not confirmed"}',
  })
  const bad = await mailer.test(`postmark+api://T0KEN@${server.host}`, addresses)
  assert.equal(bad.success, false)
  assert.match(bad.message, /\*{8}: sender not confirmed/)
  assert.equal(bad.stages.at(-1)?.outcome, 'failed')
  assert.ok(!JSON.stringify([good, bad]).includes('T0KEN'))
  await server.close()
  const gone = await mailer.test(`postmark+api://T0KEN@${server.host}`, addresses)
  assert.deepEqual(
    gone.stages.map(({ stage, outcome }) => `${stage} ${outcome}`),
    ['parse ok', 'resolve ok', 'connect failed', 'tls skipped', 'request skipped'],
  )
})

test('when an API cannot be reached, the hint is about APIs', async () => {
  const plain = await startScriptedServer()
  const stranger = await startApiServer(createAuthority().issue({ names: ['localhost'] }))
  const dsn = (host: string) => `mailgun+api://K:d.org@${host}`
  const notSpoken = await sendOnce(dsn(`127.0.0.1:${plain.port}`))
  const untrusted = await sendOnce(dsn(stranger.host), {})
  await plain.close()
  await stranger.close()
  const refused = await sendOnce(dsn(`127.0.0.1:${plain.port}`), {})
  const options: MailerOptions = { policy: { mode: 'public' }, lookup: finding('8.8.8.8') }
  const blocked = await sendOnce(dsn('api.example.com:4433'), options)
  const cases: [Awaited<typeof refused>, FaultCode, RegExp][] = [
    [notSpoken, 'tls_not_spoken', /host and the port.*HTTPS.*443/],
    [refused, 'connection_refused', /host and the port.*HTTPS.*443.*firewall/],
    [untrusted, 'certificate_untrusted', /authority that this machine trusts/],
    [blocked, 'port_blocked', /Use 443/],
  ]
  for (const [{ fault }, code, hint] of cases) {
    assert.equal(fault?.code, code)
    assert.match(fault?.hint ?? '', hint)
    assert.doesNotMatch(fault?.hint ?? '', /smtp|587|peer_fingerprint/i)
  }
})

test('a certificate with an invalid date can be described', async () => {
  const certificate = createSelfSigned({ names: ['localhost'], notAfter: new Date(8.64e15) })
  const server = await startScriptedServer({ tls: 'implicit', certificate })
  const dsn = `smtps://localhost:${server.port}?verify_peer=0`
  const result = await sendOnce(dsn, {})
  assert.equal(result.outcome, 'accepted', result.fault?.message)
  const { stages } = await createMailer().test(dsn, { from: 'a@x.net', to: 'b@x.net' })
  assert.match(
    stages.find(({ stage }) => stage === 'tls')?.detail ?? '',
    /an invalid date, not verified/,
  )
  await server.close()
})

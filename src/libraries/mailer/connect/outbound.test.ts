import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createResolveAllowed } from './outbound.ts'

const finding =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

test('only allowed addresses are returned', async () => {
  const lookup = finding('169.254.169.254', '10.0.0.1', '192.0.43.8')
  const resolve = createResolveAllowed({ mode: 'public' }, { lookup })
  assert.deepEqual(await resolve('mautic.example.com', 443), [{ address: '192.0.43.8', family: 4 }])
})

test('an address is checked like a name, and the refusal does not show what a name resolves to', async () => {
  const resolve = createResolveAllowed({ mode: 'public' }, { lookup: finding('10.20.30.40') })
  for (const host of ['127.0.0.1', '::1', '169.254.169.254', 'internal.example.com'])
    await assert.rejects(resolve(host, 443), (error: Error & { code: string }) => {
      assert.equal(error.code, 'blocked')
      assert.match(error.message, /MAILYARD_OUTBOUND_ALLOW/)
      assert.doesNotMatch(error.message, /10\.20/)
      return true
    })
  const allowed = createResolveAllowed({ mode: 'public', allow: ['127.0.0.1:8080'] })
  assert.equal((await allowed('127.0.0.1', 8080)).length, 1)
  await assert.rejects(allowed('127.0.0.1', 8081), { code: 'blocked' })
})

test('an unknown host and a DNS server that does not answer have different errors', async () => {
  const failing = (code: string) => async () => Promise.reject(Object.assign(new Error(), { code }))
  const of = (code: string) => createResolveAllowed({ mode: 'open' }, { lookup: failing(code) })
  await assert.rejects(of('ENOTFOUND')('nowhere.example', 443), { code: 'not_found' })
  await assert.rejects(of('EAI_AGAIN')('nowhere.example', 443), { code: 'lookup_failed' })
})

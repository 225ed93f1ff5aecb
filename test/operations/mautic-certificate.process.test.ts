import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  createAuthority,
  createSelfSigned,
  type IssuedCertificate,
} from '../../src/libraries/mailer/testing/certificates.case.test.ts'
import { asAdmin } from '../administrator.ts'
import {
  apiSettings,
  createFolder,
  type MailyardProcess,
  startMailyard,
} from '../mailyard-process.ts'
import type { Json } from '../mautic-double/recordings.ts'

/** A Mautic with TLS that refuses all credentials. */
async function startSecureMautic(certificate: IssuedCertificate) {
  const body = JSON.stringify({ errors: [{ message: 'denied', code: 401 }] })
  const server = createServer(certificate, (_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The operator names the certificates that Node is to trust besides those of the system. */
describe('a Mautic with a certificate of an own authority', () => {
  const { folder, remove } = createFolder()
  const authority = createAuthority('Own Authority')
  const selfSigned = createSelfSigned({ names: ['localhost'] })
  const other = createAuthority('Other Authority')
  /** The certificates, and what the check says to do about those that are not trusted. */
  const certificates: Record<string, [certificate: IssuedCertificate, hint?: RegExp]> = {
    'of-authority': [authority.issue({ names: ['localhost'] })],
    'self-signed': [selfSigned],
    'other-name': [authority.issue({ names: ['mautic.example.com'] }), /a host name of the/],
    'other-authority': [other.issue({ names: ['localhost'] }), /NODE_EXTRA_CA_CERTS/],
  }
  const mautics = new Map<string, Awaited<ReturnType<typeof startSecureMautic>>>()
  let service: MailyardProcess

  const ask = async (path: string, options: RequestInit = {}): Promise<[number, Json]> => {
    const headers = { authorization: asAdmin, 'content-type': 'application/json' }
    const answer = await fetch(`${service.url}${path}`, { headers, ...options })
    return [answer.status, await answer.json()]
  }
  before(async () => {
    const trusted = join(folder, 'trusted.pem')
    writeFileSync(trusted, authority.cert + selfSigned.cert)
    service = await startMailyard({ env: { ...apiSettings, NODE_EXTRA_CA_CERTS: trusted } })
    for (const [name, [certificate]] of Object.entries(certificates)) {
      const mautic = await startSecureMautic(certificate)
      mautics.set(name, mautic)
      const values = { name, url: mautic.url, clientId: 'id', clientSecret: 'secret' }
      const [status] = await ask('/api/mautics/new', {
        ...{ method: 'POST', body: JSON.stringify(values) },
      })
      assert.equal(status, 201)
    }
  })
  after(async () => {
    await service.stop()
    for (const mautic of mautics.values()) await mautic.close()
    remove()
  })

  for (const [index, [name, [, hint]]] of Object.entries(certificates).entries())
    test(`${name} is ${hint === undefined ? 'trusted' : 'refused'} by gateway and check`, async () => {
      const [status] = await ask(`/mautic/${name}/api/emails`)
      assert.equal(status, hint === undefined ? 401 : 502)
      const [, { stages }] = await ask(`/api/mautics/${index + 1}/check`, { method: 'POST' })
      const [reach] = stages
      assert.equal(reach.outcome, hint === undefined ? 'ok' : 'failed', JSON.stringify(reach))
      if (hint !== undefined) assert.match(reach.hint, hint)
    })
})

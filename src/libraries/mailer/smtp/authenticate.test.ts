import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { afterEach, test } from 'node:test'
import { SMTPServer, type SMTPServerAuthentication } from 'smtp-server'
import { sendOnce } from '../testing/sample-message.case.test.ts'
import { authority, goodCertificate } from '../testing/smtp-faults.case.test.ts'
import {
  type ScriptedServerOptions,
  startScriptedServer,
} from '../testing/smtp-server.case.test.ts'

const user = 'jürgen@example.com'
const password = 'pass wörd/+@:'
const token = 'ya29.token'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

interface LoggedIn {
  method: string
  username: string | undefined
}

/** nodemailer's own server: another hand's idea of each mechanism. */
async function startServer(authMethods: string[], isSecure: boolean) {
  const logins: LoggedIn[] = []
  const server = new SMTPServer({
    ...goodCertificate,
    secure: false,
    authMethods,
    allowInsecureAuth: true,
    disabledCommands: isSecure ? [] : ['STARTTLS'],
    onAuth(auth: SMTPServerAuthentication, _session, done) {
      const isRight =
        auth.method === 'XOAUTH2'
          ? auth.accessToken === token
          : auth.method === 'CRAM-MD5'
            ? auth.validatePassword(password)
            : auth.password === password
      logins.push({ method: auth.method, username: auth.username })
      if (isRight && auth.username === user) done(null, { user })
      else done(new Error('Invalid user name or password'))
    },
    onData(stream, _session, done) {
      stream.resume().on('end', () => done())
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  closing.push(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { logins, port }
}

async function openScripted(options: ScriptedServerOptions) {
  const server = await startScriptedServer(options)
  closing.push(() => server.close())
  return server
}

const sendWith = (port: number, login: string, query = '') =>
  sendOnce(`smtp://${login}@localhost:${port}${query}`, { certificates: [authority.cert] })

const ownLogin = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`

for (const method of ['PLAIN', 'LOGIN', 'CRAM-MD5'])
  for (const isSecure of [true, false])
    test(`it logs in with ${method}, ${isSecure ? 'after STARTTLS' : 'in plain text'}`, async () => {
      const server = await startServer([method], isSecure)
      const result = await sendWith(server.port, ownLogin)
      assert.equal(result.outcome, 'accepted', result.fault?.message)
      assert.deepEqual(server.logins, [{ method, username: user }])
      const wrong = await sendWith(server.port, `${encodeURIComponent(user)}:wrong`)
      assert.equal(wrong.fault?.code, 'login_refused')
    })

test('it logs in with an access token, and with a password when XOAUTH2 is the only mechanism', async () => {
  const server = await startServer(['XOAUTH2'], true)
  const name = encodeURIComponent(user)
  assert.equal((await sendWith(server.port, name, `?accessToken=${token}`)).outcome, 'accepted')
  assert.equal((await sendWith(server.port, `${name}:${token}`)).outcome, 'accepted')
  const wrong = await sendWith(server.port, name, '?accessToken=expired')
  assert.equal(wrong.fault?.code, 'token_refused')
})

test('an access token is never sent as a password', async () => {
  const server = await startServer(['PLAIN'], true)
  const result = await sendWith(server.port, encodeURIComponent(user), `?accessToken=${token}`)
  assert.equal(result.fault?.code, 'login_not_offered')
  assert.deepEqual(server.logins, [])
})

test('without encryption CRAM-MD5 is tried before the password is sent', async () => {
  const server = await startServer(['PLAIN', 'LOGIN', 'CRAM-MD5'], false)
  await sendWith(server.port, ownLogin)
  const methods = server.logins.map(({ method }) => method)
  assert.deepEqual(methods, ['CRAM-MD5'])
})

test('after a refused mechanism the next one is tried', async () => {
  const server = await openScripted({
    extensions: ['AUTH PLAIN LOGIN'],
    tls: 'starttls',
    certificate: goodCertificate,
    script: { auth: (line) => (line.includes('PLAIN') ? '504 5.5.4 Not really' : undefined) },
  })
  const result = await sendWith(server.port, ownLogin)
  assert.equal(result.outcome, 'accepted', result.fault?.message)
})

test('the response of CRAM-MD5 is that of RFC 2195', async () => {
  // The challenge, user, secret and digest of the RFC's example.
  const server = await openScripted({
    extensions: ['AUTH CRAM-MD5'],
    script: { auth: '334 PDE4OTYuNjk3MTcwOTUyQHBvc3RvZmZpY2UucmVzdG9uLm1jaS5uZXQ+' },
  })
  await sendWith(server.port, 'tim:tanstaaftanstaaf')
  assert.ok(
    server.commands.includes('dGltIGI5MTNhNjAyYzdlZGE3YTQ5NWI0ZTZlNzMzNGQzODkw'),
    server.commands.join('\n'),
  )
})

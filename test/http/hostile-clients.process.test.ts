import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { asAdmin } from '../administrator.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { apiSettings, type MailyardProcess, startMailyard } from '../mailyard-process.ts'
import { ask, transport } from '../processes/client.ts'
import { volume } from '../volume.ts'

const path = '/api/multipleTransports'
const rounds = volume({ short: 4, full: 20 })
const head = `Host: localhost\r\nAuthorization: ${asAdmin}\r\nContent-Type: application/json\r\n`

describe('clients that are slow, broken or hostile', () => {
  let service: MailyardProcess
  let database: TestDatabase | undefined

  before(async () => {
    database = await testDatabases[0]?.create()
    service = await startMailyard({ databaseUrl: database?.url ?? '', env: apiSettings })
  })

  after(async () => {
    assert.equal(await service.stop(), 0)
    await database?.drop()
  })

  test('hundreds of clients that stop halfway through a request do not block other clients', async () => {
    const halves = [
      'GET / HT',
      `GET ${path} HTTP/1.1\r\nHost: local`,
      `POST ${path}/new HTTP/1.1\r\n${head}Content-Length: 1000\r\n\r\n{"name":`,
      `POST ${path}/new HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nff\r\n{`,
      '',
    ]
    const sockets = await Promise.all(
      Array.from({ length: 500 }, (_, each) =>
        open(service.port, halves[each % halves.length] ?? ''),
      ),
    )
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(service, path)))
    for (const { status } of answers) assert.equal(status, 200)
    for (const socket of sockets) socket.destroy()
    assert.equal((await ask(service, '/readyz')).status, 200)
  })

  test('a client that disconnects during a request or an answer leaves no resources behind', async () => {
    const items = Array.from({ length: 3_000 }, (_, each) => transport(String(each)))
    const body = JSON.stringify(items)
    assert.equal(
      (await ask(service, `${path}/batch/new`, { method: 'POST', body: items })).status,
      201,
    )
    const list = `GET ${path} HTTP/1.1\r\n${head}\r\n`
    const half = `POST ${path}/batch/new HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 100_000)}`
    for (let round = 0; round < rounds; round += 1) {
      const sockets = await Promise.all([open(service.port, list), open(service.port, half)])
      await new Promise((resolve) => setTimeout(resolve, 10))
      for (const socket of sockets) socket.resetAndDestroy()
    }
    assert.equal((await ask(service, path)).body.length, items.length)
  })
})

function open(port: number, text: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => {
      socket.write(text)
      resolve(socket)
    })
    socket.once('error', reject).on('error', () => undefined)
  })
}

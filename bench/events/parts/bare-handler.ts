// An HTTP server that stores the body of each request on the disk, answers, and does nothing else.
// `node bench/events/parts/bare-handler.ts DATABASE_URL`. Its first line is its URL.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import { openStorage } from '../../../src/platform/storage/index.ts'
import { print } from '../../print.ts'

const storage = openStorage({ url: process.argv[2] ?? '', onIdleError: () => undefined })
await sql`create table bare_requests (body ${storage.bytesType})`.execute(storage.tables())

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request)
  await storage.transaction(async (tx) => {
    await sql`insert into bare_requests (body) values (${body})`.execute(tx)
  })
  response.end('{"success":true}')
}

const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () => {
  print(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})

// A server that reads a whole list and writes it as one JSON text. list.ts compares with it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'

const database = new DatabaseSync(
  (process.env['MAILYARD_DATABASE_URL'] ?? '').replace('sqlite:', ''),
)
const all = database.prepare('select * from transports order by id limit ?')
const server = createServer((request, response) => {
  const limit = Number(
    new URL(request.url ?? '', 'http://localhost').searchParams.get('limit') ?? -1,
  )
  response.end(JSON.stringify(all.all(limit)))
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`"listening at http://127.0.0.1:${port}"\n`)
})

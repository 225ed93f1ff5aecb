// A server in the place of a Mautic with many entries of Do not contact, one for each contact. do-not-contact.ts starts it.
// Its argument is the number of entries, and it writes its address.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const count = Number(process.argv[2])

const entryOf = (id: number) => ({
  id: String(id),
  lead_id: String(id),
  date_added: '2026-01-31 15:54:35',
  reason: '1',
  channel: 'email',
  channel_id: null,
  comments: '',
})

const contactOf = (id: number) => {
  const email = {
    id: '6',
    label: 'Email',
    alias: 'email',
    type: 'email',
    value: `c${id}@rcpt.test`,
  }
  return { id, fields: { core: { email } } }
}

const answer = (response: ServerResponse, body: object) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const server = createServer((request, response) => {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://mautic')
  request.resume()
  if (pathname === '/oauth/v2/token')
    return answer(response, { access_token: 'token', expires_in: 3_600, token_type: 'bearer' })
  const value = query.get('where[0][val]') ?? ''
  if (pathname === '/api/contacts') {
    const contacts = value.split(',').map((id) => [id, contactOf(Number(id))])
    return answer(response, {
      total: String(contacts.length),
      contacts: Object.fromEntries(contacts),
    })
  }
  if (pathname !== '/api/stats/lead_donotcontact')
    return answer(response, { total: 0, emails: [], users: [] })
  const after = Number(value)
  // No entry was added since the whole list was read.
  const rest = query.has('where[1][col]') ? 0 : Math.max(0, count - after)
  const length = Math.min(rest, Number(query.get('limit')))
  const stats = Array.from({ length }, (_, index) => entryOf(after + index + 1))
  answer(response, { total: String(rest), stats })
})

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})

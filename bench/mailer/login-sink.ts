// An SMTP server that accepts every log-in and every message, and a token endpoint, as a process: it prints their ports.
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

const replies: Record<string, string> = {
  EHLO: '250-sink\r\n250-PIPELINING\r\n250 AUTH PLAIN XOAUTH2',
  AUTH: '235 2.7.0 Ok',
  DATA: '354 Go ahead',
  QUIT: '221 2.0.0 Bye',
}

const endOfMessage = '\r\n.\r\n'

function accept(socket: Socket): void {
  let rest = ''
  let isMessage = false
  socket.on('error', () => undefined)
  socket.write('220 sink\r\n')
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1')
    let reply = ''
    for (;;) {
      const end = rest.indexOf(isMessage ? endOfMessage : '\r\n')
      if (end === -1) break
      const verb = rest.slice(0, 4).toUpperCase()
      rest = rest.slice(end + (isMessage ? endOfMessage.length : 2))
      reply += `${isMessage ? '250 2.0.0 Ok' : (replies[verb] ?? '250 2.0.0 Ok')}\r\n`
      isMessage = !isMessage && verb === 'DATA'
    }
    if (reply !== '') socket.write(reply)
  })
}

const token = JSON.stringify({
  token_type: 'Bearer',
  expires_in: 3599,
  // As long as those of Microsoft Entra ID.
  access_token: 'x'.repeat(1_500),
})

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const smtpPort = await portOf(createServer({ noDelay: true }, accept))
const tokenPort = await portOf(
  createHttpServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' }).end(token)
  }),
)
process.stdout.write(`${JSON.stringify({ smtpPort, tokenPort })}\n`)
process.stdin.resume().on('end', () => process.exit())

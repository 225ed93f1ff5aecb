// The double of Mautic, as slow as a real one: 30 ms for each request, and 600 ms more with Basic. connection.ts starts it.
// Its argument is the number of contacts, each of whom email 17 was sent to, and it writes its address and credentials.
import { startMauticDouble } from '../../../test/mautic-double/mautic-double.ts'
import { emailId, hashOf } from './mautic-message.ts'

const contacts = Number(process.argv[2])
const { url, data, client, administrator } = await startMauticDouble({
  ...{ delayMs: 30, basicDelayMs: 600, emails: 40, users: 12, contacts },
})
const [template] = data.stats
data.stats = [...data.contacts.keys()].map((id) => ({
  ...template,
  ...{ id: String(id), email_id: String(emailId), lead_id: String(id) },
  ...{ email_address: `c${id}@rcpt.test`, tracking_hash: hashOf(id) },
}))
process.stdout.write(`${JSON.stringify({ url, client, administrator })}\n`)

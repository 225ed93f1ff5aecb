import type { Transaction } from 'kysely'
import type { Clock } from '../kit/clock.ts'
import { newRecordStamp } from '../storage/index.ts'
import { toColumns } from './service.ts'
import type { EmailTables } from './table.ts'

/** Makes the sample email: email 1 of a new database, so that every endpoint can be tried at once. */
export async function installSampleEmail(
  tx: Transaction<EmailTables>,
  clock: Clock,
): Promise<void> {
  const columns = toColumns({
    name: 'Sample email',
    subject: 'Hello {contactfield=firstname|there}',
    customHtml: '<p>Hello {contactfield=firstname|there},</p><p>this is a sample.</p>',
    plainText: 'Hello {contactfield=firstname|there},\n\nthis is a sample.\n',
  })
  const stamp = newRecordStamp({ name: 'Mailyard', userId: undefined }, clock)
  await tx
    .insertInto('emails')
    .values({ ...columns, ...stamp })
    .execute()
}

import { assignmentMigrations } from '../assignments/index.ts'
import { contactMigrations } from '../contacts/index.ts'
import { deliveryMigrations } from '../delivery/index.ts'
import { dkimMigrations } from '../dkim/index.ts'
import { emailMigrations } from '../emails/index.ts'
import { receivedEventsMigrations, transportWebhookMigrations } from '../feedback/index.ts'
import { conditionMigrations } from '../health/index.ts'
import { inboxMigrations } from '../inbox/index.ts'
import { limitMigrations } from '../limits/index.ts'
import { mauticMigrations } from '../mautic/index.ts'
import { authMigrations } from '../platform/auth/index.ts'
import { deletedRecordMigrations } from '../platform/resource/index.ts'
import { keyringMigrations } from '../platform/storage/index.ts'
import { queueMigrations } from '../queue/index.ts'
import { senderMigrations } from '../senders/index.ts'
import { suppressionMigrations } from '../suppressions/index.ts'
import { templateMigrations } from '../templates/index.ts'
import { transportMigrations } from '../transports/index.ts'
import { webhookMigrations } from '../webhooks/index.ts'
import { removalMigrations } from './removals.ts'

export const migrations = [
  keyringMigrations,
  deletedRecordMigrations,
  authMigrations,
  emailMigrations,
  contactMigrations,
  transportMigrations,
  inboxMigrations,
  templateMigrations,
  assignmentMigrations,
  deliveryMigrations,
  queueMigrations,
  suppressionMigrations,
  limitMigrations,
  mauticMigrations,
  webhookMigrations,
  receivedEventsMigrations,
  transportWebhookMigrations,
  conditionMigrations,
  senderMigrations,
  dkimMigrations,
  removalMigrations,
]

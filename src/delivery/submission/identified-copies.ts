import type { CallerMautic } from '../../kit/caller.ts'
import type { IdentifyMessage, MessageIdentity } from '../../messages/index.ts'
import type { Storage } from '../../storage/index.ts'
import {
  type ContactLookup,
  type Copy,
  findCopies,
  mauticContactLookup,
  openContactLookup,
} from './copies.ts'
import type { ReadSubmission } from './read-submission.ts'
import { isNotification } from './submission.ts'

/** The email, the contact and the owner of a message, and the Mautic whose ids these are. */
export interface SubmissionIdentity extends Omit<MessageIdentity, 'contact'> {
  /** Undefined for ids of Mailyard itself. */
  mautic: CallerMautic | undefined
}

/** Identifies a message, and splits it into copies; see `findCopies`. */
export type FindIdentifiedCopies = (
  read: ReadSubmission,
  options: { mauticWaitMs?: number | undefined },
) => Promise<{ identity: SubmissionIdentity; copies: readonly Copy[] }>

export function createFindIdentifiedCopies({
  storage,
  identify,
}: {
  storage: Storage
  identify: IdentifyMessage
}): FindIdentifiedCopies {
  const ownContacts = openContactLookup(storage)
  return async ({ submission, message }, { mauticWaitMs: waitMs }) => {
    const { recipients, rendered, submitter } = submission
    const mautic = isNotification(submission) ? undefined : submitter.mautic
    const split = (identity: SubmissionIdentity, contacts: ContactLookup) => {
      const { contactId } = identity
      return findCopies({ contactId, holdsTokens: message.holdsTokens }, recipients, contacts)
    }
    if (mautic !== undefined) {
      const found = await identify({ mautic, submission, message, waitMs })
      const { contact, ...identity } = { ...found, mautic }
      return { identity, copies: await split(identity, mauticContactLookup(contact)) }
    }
    const { emailId, contactId, ownerId } = message.head
    const identity = { mautic, emailId, contactId, ownerId, problem: undefined, notes: [] }
    if (rendered !== undefined)
      return { identity, copies: [{ recipients, contact: undefined, ignored: undefined }] }
    return { identity, copies: await split(identity, ownContacts) }
  }
}

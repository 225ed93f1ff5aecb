/** Which transport an email leaves through. */
export interface EmailTransportRow {
  email_id: number
  transport_id: number | null
  use_owner_transport: boolean
}

/** Which transport a user's contacts' emails leave through, where the email says so. */
export interface UserTransportRow {
  user_id: number
  transport_id: number
}

export type AssignmentTables = {
  email_transports: EmailTransportRow
  user_transports: UserTransportRow
}

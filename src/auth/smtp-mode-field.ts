import Type from 'typebox'
import { type SmtpMode, smtpModes } from '../kit/smtp-mode.ts'

const schema = { type: ['string', 'null'], enum: [...smtpModes, null] }

/** The field `smtpMode` of the input of users and OAuth clients. */
export const smtpModeInput = Type.Optional(
  Type.Unsafe<SmtpMode | null>({
    ...schema,
    description:
      'What 250 means to its SMTP clients: `hybrid`, `queue` or `direct`. Default: null, the setting MAILYARD_SMTP_MODE.',
  }),
)

/** The field `smtpMode` of the output. */
export const smtpModeItem = Type.Unsafe<SmtpMode | null>(schema)

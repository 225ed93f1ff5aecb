import Type from 'typebox'
import { smtpModes } from '../../kit/smtp-mode.ts'
import { nullable } from '../http/index.ts'

const smtpMode = Type.Enum([...smtpModes], { type: 'string' })

/** The field `smtpMode` of the input of users and OAuth clients. */
export const smtpModeInput = Type.Optional(
  nullable(smtpMode, {
    description:
      'What 250 means to its SMTP clients: `hybrid`, `queue` or `direct`. Default: null, the setting MAILYARD_SMTP_MODE.',
  }),
)

/** The field `smtpMode` of the output. */
export const smtpModeItem = nullable(smtpMode)

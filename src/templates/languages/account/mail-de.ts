// Was die Mails an die Inhaber von Konten auf Deutsch sagen.
import type { MailTexts } from './mail-en.ts';

/** The texts. */
export const deMail: MailTexts = {
  mail: {
    subject: 'Ihr Link zum Anmelden: {service}',
    greeting: 'Guten Tag,',
    one: 'dieser Link meldet Sie in Ihrem Konto {account} an, bei {service}:',
    many: 'diese Links melden Sie in Ihren Konten an, bei {service}:',
    validity: 'Er gilt 15 Minuten, und einmal.',
    validityMany: 'Jeder gilt 15 Minuten, und einmal.',
    unasked: 'Wenn Sie ihn nicht angefordert haben, brauchen Sie nichts zu tun.',
  },
  trouble: {
    notYet:
      'Ein Webhook-Endpunkt von Ihnen antwortet nicht, wie er soll, seit {date}. Nach fünf Tagen, in denen nichts gelingt, wird er abgeschaltet.',
    operator: 'Ein Webhook-Endpunkt von Ihnen wurde von Ihnen oder vom Herausgeber abgeschaltet: {date}.',
    gone: 'Ein Webhook-Endpunkt von Ihnen wurde abgeschaltet, weil er mit 410 geantwortet hat: {date}.',
    failing: 'Ein Webhook-Endpunkt von Ihnen wurde abgeschaltet, weil fünf Tage lang nichts gelang: {date}.',
    mail: 'Was er geantwortet hat, steht auf seiner Seite. Dort schalten Sie ihn wieder ein:',
    failingSubject: 'Ein Webhook-Endpunkt antwortet nicht: {service}',
    disabledSubject: 'Ein Webhook-Endpunkt wurde abgeschaltet: {service}',
  },
};

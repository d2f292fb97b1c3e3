import { Avatar } from '../../ui/avatar.tsx';
import { useLanguage } from '../../ui/texts.ts';
import styles from './inbox-picture.module.css';

/** Sender, what happened, where, the quoted text and the age of each row; the first two are unread. */
const rows = {
  en: [
    ['Grace Hopper', 'mentioned you in', 'Release notes', 'Could you check the second section?', '2m'],
    ['Alan Turing', 'invited you to', 'Reading group', 'Thursdays at noon, starting next week.', '18m'],
    ['Mary Somerville', 'commented on', 'Travel budget', 'The flights are booked now.', '3h'],
    ['Ada Lovelace', 'edited', 'Roadmap', 'Moved the launch to October.', 'Tue'],
  ],
  de: [
    [
      'Grace Hopper',
      'hat dich erwähnt in',
      'Versionshinweise',
      'Kannst du den zweiten Teil prüfen?',
      '2 Min.',
    ],
    [
      'Alan Turing',
      'hat dich eingeladen:',
      'Lesekreis',
      'Donnerstags um zwölf, ab nächster Woche.',
      '18 Min.',
    ],
    ['Mary Somerville', 'hat kommentiert:', 'Reisekosten', 'Die Flüge sind jetzt gebucht.', '3 Std.'],
    ['Ada Lovelace', 'hat bearbeitet:', 'Fahrplan', 'Der Start ist jetzt im Oktober.', 'Di'],
  ],
} as const;

/** A picture of an inbox with some rows. */
export function InboxPicture() {
  return (
    <ul className={styles.sheet}>
      {rows[useLanguage()].map(([sender, verb, subject, quote, age]) => (
        <li key={sender} className={styles.row}>
          <Avatar name={sender} />
          <p className={styles.text}>
            <span>
              <b>{sender}</b> {verb} <b>{subject}</b>
            </span>
            <span className={styles.quote}>{quote}</span>
          </p>
          <span>{age}</span>
        </li>
      ))}
    </ul>
  );
}

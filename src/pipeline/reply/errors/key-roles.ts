/** What the value under a key says about an error. */
export type KeyRole =
  /** A description of what is wrong. */
  | 'reason'
  /** A description of what is wrong, or an input with this name: the neighboring keys decide. */
  | 'maybe-reason'
  /** What is wrong, as a description or a code: the value decides. */
  | 'reason-or-code'
  | 'code'
  /** Which input is meant. */
  | 'field'
  /** Which input is meant, or something else: the neighboring keys decide. */
  | 'maybe-field'
  /** For people who look into logs. */
  | 'aside'
  /** The number of the record that is meant. */
  | 'row'
  | 'other';

const roles: readonly (readonly [KeyRole, string])[] = [
  [
    'reason',
    'message msg detail errormessage errormsg errordescription errordetail errorinfo errortext errorstring errorsummary errortitle faultstring defaultmessage longmessage shortmessage usermessage usermsg developermessage displaymessage friendlymessage localizedmessage errorusertitle errorusermsg explanation statusmessage statustext statusdescription responsemessage responsetext suggestedaction exceptionmessage failurereason failuremessage errorreason',
  ],
  [
    'maybe-reason',
    'description summary title hint problem diagnostic diagnostics suggestion remediation recommendation text what why body comment note',
  ],
  [
    'reason-or-code',
    'error err reason issue fault cause failure details errors name status result state id phrase warning',
  ],
  [
    'code',
    'code errorcode errcode errno errorno errornumber errornum type errortype exceptiontype kind subcode errorsubcode suberror statuscode httpstatus httpcode httpstatuscode category errorcategory keyword rule constraint constraintname validator validation tag faultcode exception exceptionclass exceptionname typename classname errorname errorkey messagekey messagecode msgcode msgid messageid translationkey serviceerrorcode reasoncode declinecode sqlstate sqlcode resultcode responsecode returncode severity domain subtype errorclass errorid actor faultactor level messagenumber minorcode majorcode',
  ],
  [
    'field',
    'field fields fieldname fieldnames fieldpath fieldid param params paramname parameter parametername parameters pointer jsonpointer jsonpath property properties propertyname propertypath propertyref attribute attributename attributepath loc instancepath datapath argument argumentname argname argpath inputpath membername membernames column columnname queryparameter header headername formfield controlid variable invalidfield invalidfields locator missingfields missingproperty missingparams missingparameters',
  ],
  ['maybe-field', 'path location target key keys element elementname source input item label in'],
  [
    'aside',
    'requestid xrequestid reqid correlationid correlation traceid trace debugid timestamp time date datetime documentationurl docurl docs documentation docslink documentationlink moreinfo moreinfourl morelink helpurl help helplink helplinks link links href url uri infourl infolink errorlink errorurl fbtraceid stack stacktrace stackframes backtrace traceback instance transactionid activityid clientrequestid serverrequestid apiversion hostid host server lang language locale pspreference sessionid logref logid requestlogurl version requestpath requesturl requesturi method requestmethod servicename service generatedat elapsed took ray rayid incidentid eventid errorinstanceid jsonapi jsonrpc',
  ],
  [
    'row',
    'row rownumber rowindex rownum rowno rowid index itemindex itemnumber recordindex recordnumber recordno linenumber lineno line',
  ],
];

const known = new Map(
  roles.flatMap(([role, words]) => words.split(' ').map((word) => [word, role] as const)),
);

// Names for what is wrong; they say nothing about where.
const errorWords = new Set(
  'error errors err fault faults message messages msg issue issues problem problems violation violations exception exceptions failure failures cause causes causedby rootcause reason reasons detail details validationerror validationerrors fielderror fielderrors fieldviolations innererror errordetails errordetail errormessages errorlist errorcauses errorchain'.split(
    ' ',
  ),
);

// Names of containers that errors are wrapped in.
const wrappers = new Set(
  'data response result results body envelope payload extensions contextinfo context root validation validations validationfailures invalidparams invalidfields invalidparameters invalidparameter exceptionreport odataerror errorinfo errorcontext additionalinfo nonfielderrors globalerrors fields parameters params modelstate embedded'.split(
    ' ',
  ),
);

/** The role of a key, by its name. */
export function roleOf(key: string): KeyRole {
  // The type of the object, not what is wrong with it.
  if (key === '@type' || key === '$type' || key === '__typename' || key === '$id') return 'aside';
  const plain = plainKey(key);
  return known.get(plain) ?? (aboutErrors.test(plain) ? bySuffix(plain) : 'other');
}

const aboutErrors = /err|exception|fault|fail|result|response|validation|internal/;

function bySuffix(plain: string): KeyRole {
  if (/(?:message|messages|msg|description|summary|detail|reason|text)$/.test(plain)) return 'reason';
  if (/(?:code|type|number|name|key|class)$/.test(plain)) return 'code';
  return /(?:field|path|param|parameter|property)$/.test(plain) ? 'field' : 'other';
}

/** Whether a key names errors, and nothing else. */
export function isErrorWord(key: string): boolean {
  const plain = plainKey(key);
  return errorWords.has(plain) || /(?:errors|errormessages|errorlist|violations)$/.test(plain);
}

/** Whether a key names a container of errors rather than the input that an error is about. */
export function isContainer(key: string): boolean {
  return isErrorWord(key) || wrappers.has(plainKey(key)) || /(?:response|result)$/.test(plainKey(key));
}

/** Whether an object under this key maps input names to errors. */
export function holdsByName(key: string): boolean {
  return byName.test(plainKey(key));
}

const byName =
  /^(?:errors|fields|details|params|parameters|validation|modelstate|(?:field|validation|form|input|model|param|parameter|invalid)[a-z]{0,20}s)$/;

/** A key reduced to letters and digits, so that all its spellings are equal. */
export function plainKey(key: string): string {
  return key
    .slice(0, 60)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

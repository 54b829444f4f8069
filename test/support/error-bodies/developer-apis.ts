import type { ErrorSample } from './sample.ts';

/** APIs of code hosts, clouds and tools for developers. */
export const developerApis: readonly ErrorSample[] = [
  {
    api: 'GitHub',
    status: 422,
    body: {
      message: 'Validation Failed',
      errors: [{ resource: 'Issue', field: 'title', code: 'missing_field' }],
      documentation_url: 'https://docs.example/rest/issues#create',
      status: '422',
    },
    says: ['Validation Failed', 'title', 'missing_field', 'Issue'],
  },
  {
    api: 'GitHub',
    status: 422,
    body: {
      message: 'Validation Failed',
      errors: [
        {
          resource: 'PullRequest',
          code: 'custom',
          message: 'A pull request already exists for octo:patch-1.',
        },
      ],
      documentation_url: 'https://docs.example/rest/pulls',
    },
    says: ['A pull request already exists for octo:patch-1', 'custom', 'PullRequest'],
  },
  {
    api: 'GitHub',
    status: 422,
    body: {
      message: 'Invalid request.\n\n"sha" wasn\'t supplied.',
      documentation_url: 'https://docs.example',
    },
    says: ['"sha" wasn\'t supplied'],
  },
  {
    api: 'GitHub',
    status: 422,
    body: { message: 'Validation Failed', errors: ['Body is too long (maximum is 65536 characters)'] },
    says: ['Body is too long (maximum is 65536 characters)'],
  },
  {
    api: 'GitHub',
    status: 403,
    body: { message: 'Repository was archived so is read-only.', documentation_url: 'https://docs.example' },
    says: ['Repository was archived so is read-only'],
  },
  {
    api: 'GitHub GraphQL',
    status: 400,
    body: {
      errors: [
        {
          path: ['mutation', 'createIssue', 'input', 'repositoryId'],
          extensions: { code: 'missingRequiredInputObjectAttribute', argumentName: 'repositoryId' },
          locations: [{ line: 2, column: 15 }],
          message: "Argument 'repositoryId' on InputObject 'CreateIssueInput' is required. Expected type ID!",
        },
      ],
    },
    says: ['repositoryId', 'is required', 'missingRequiredInputObjectAttribute'],
  },
  {
    api: 'GitLab',
    status: 400,
    body: { message: { title: ["can't be blank"], 'issue_links.type': ['is not included in the list'] } },
    says: ['title', "can't be blank", 'issue_links.type', 'is not included in the list'],
  },
  {
    api: 'GitLab',
    status: 400,
    body: { error: 'id is missing, state_event does not have a valid value' },
    says: ['id is missing', 'state_event does not have a valid value'],
  },
  {
    api: 'GitLab',
    status: 403,
    body: {
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges',
      scope: 'api',
    },
    says: ['insufficient_scope', 'higher privileges', 'api'],
  },
  {
    api: 'Bitbucket',
    status: 400,
    body: {
      type: 'error',
      error: {
        message: 'Bad request',
        fields: { 'source.branch.name': ['This field is required.'] },
        detail: 'Missing branch',
      },
    },
    says: ['source.branch.name', 'This field is required', 'Missing branch'],
  },
  {
    api: 'Jira',
    status: 400,
    body: {
      errorMessages: [],
      errors: {
        summary: 'You must specify a summary of the issue.',
        description: 'Operation value must be an Atlassian Document',
      },
    },
    says: ['summary', 'You must specify a summary', 'description', 'must be an Atlassian Document'],
  },
  {
    api: 'Jira',
    status: 400,
    body: { errorMessages: ['Field "customfield_1" does not exist.'], errors: {}, warningMessages: [] },
    says: ['customfield_1', 'does not exist'],
  },
  {
    api: 'Jira Service Management',
    status: 403,
    body: {
      errorMessage: 'The request is closed; reopen it first.',
      i18nErrorMessage: { i18nKey: 'sd.request.closed', parameters: [] },
    },
    says: ['reopen it first', 'sd.request.closed'],
  },
  {
    api: 'Confluence',
    status: 400,
    body: {
      errors: [
        {
          status: 400,
          code: 'INVALID_REQUEST_PARAMETER',
          title: "Provided value for 'space-id' is not the correct type",
          detail: null,
        },
      ],
    },
    says: ['space-id', 'not the correct type', 'INVALID_REQUEST_PARAMETER'],
  },
  {
    api: 'Google APIs',
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'Invalid JSON payload received. Unknown name "titel" at \'event\': Cannot find field.',
        status: 'INVALID_ARGUMENT',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [
              {
                field: 'event',
                description:
                  'Invalid JSON payload received. Unknown name "titel" at \'event\': Cannot find field.',
              },
            ],
          },
        ],
      },
    },
    says: ['event', 'titel', 'Cannot find field', 'INVALID_ARGUMENT'],
  },
  {
    api: 'Google APIs',
    status: 403,
    body: {
      error: {
        code: 403,
        message: 'Sheets API has not been used in project 12 before or it is disabled.',
        status: 'PERMISSION_DENIED',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'SERVICE_DISABLED',
            domain: 'googleapis.com',
            metadata: { service: 'sheets.googleapis.com', consumer: 'projects/12' },
          },
          {
            '@type': 'type.googleapis.com/google.rpc.Help',
            links: [
              { description: 'Google developers console API activation', url: 'https://console.example' },
            ],
          },
        ],
      },
    },
    says: ['it is disabled', 'SERVICE_DISABLED', 'PERMISSION_DENIED', 'sheets.googleapis.com'],
  },
  {
    api: 'Google Calendar',
    status: 400,
    body: {
      error: {
        errors: [
          {
            domain: 'calendar',
            reason: 'timeRangeEmpty',
            message: 'The specified time range is empty.',
            locationType: 'parameter',
            location: 'timeMax',
          },
        ],
        code: 400,
        message: 'The specified time range is empty.',
      },
    },
    says: ['timeMax', 'The specified time range is empty', 'timeRangeEmpty'],
  },
  {
    api: 'Firebase Auth',
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'WEAK_PASSWORD : Password should be at least 6 characters',
        errors: [
          {
            message: 'WEAK_PASSWORD : Password should be at least 6 characters',
            domain: 'global',
            reason: 'invalid',
          },
        ],
      },
    },
    says: ['WEAK_PASSWORD', 'at least 6 characters', 'invalid'],
  },
  {
    api: 'AWS JSON',
    status: 400,
    type: 'application/x-amz-json-1.0',
    body: {
      __type: 'com.amazonaws.dynamodb.v20120810#ValidationException',
      message: 'The parameter TableName is required',
    },
    says: ['TableName is required', 'ValidationException'],
  },
  {
    api: 'AWS REST JSON',
    status: 400,
    headers: { 'x-amzn-errortype': 'InvalidParameterValueException:http://internal.example/' },
    body: { Type: 'User', message: 'The runtime parameter of nodejs4 is no longer supported' },
    says: ['runtime parameter', 'InvalidParameterValueException'],
  },
  {
    api: 'Amazon S3',
    status: 404,
    type: 'application/xml',
    body: '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message><Key>a/b.txt</Key><RequestId>4442</RequestId><HostId>x</HostId></Error>',
    says: ['NoSuchKey', 'The specified key does not exist', 'a/b.txt'],
  },
  {
    api: 'Amazon EC2',
    status: 400,
    type: 'text/xml;charset=UTF-8',
    body: '<?xml version="1.0"?><Response><Errors><Error><Code>InvalidInstanceID.Malformed</Code><Message>Invalid id: "i-xyz" (expecting "i-...")</Message></Error></Errors><RequestID>ea9</RequestID></Response>',
    says: ['InvalidInstanceID.Malformed', 'Invalid id: "i-xyz"'],
  },
  {
    api: 'AWS Query',
    status: 400,
    type: 'text/xml',
    body: '<ErrorResponse xmlns="https://sqs.example/"><Error><Type>Sender</Type><Code>InvalidParameterValue</Code><Message>Value for parameter QueueName is invalid.</Message><Detail/></Error><RequestId>42d5</RequestId></ErrorResponse>',
    says: ['InvalidParameterValue', 'parameter QueueName is invalid', 'Sender'],
  },
  {
    api: 'Azure Resource Manager',
    status: 400,
    body: {
      error: {
        code: 'BadArgument',
        message: 'Multiple errors in ContactInfo data',
        target: 'ContactInfo',
        details: [
          { code: 'NullValue', target: 'PhoneNumber', message: 'Phone number must not be null' },
          { code: 'NullValue', target: 'LastName', message: 'Last name must not be null' },
        ],
        innererror: {
          code: 'PasswordDoesNotMeetPolicy',
          minLength: '6',
          innererror: { code: 'PasswordReuseNotAllowed' },
        },
      },
    },
    says: [
      'Multiple errors in ContactInfo data',
      'PhoneNumber',
      'Phone number must not be null',
      'LastName',
      'NullValue',
      'PasswordReuseNotAllowed',
      'BadArgument',
    ],
  },
  {
    api: 'Azure Storage',
    status: 400,
    type: 'application/xml',
    headers: { 'x-ms-error-code': 'InvalidQueryParameterValue' },
    body: '\ufeff<?xml version="1.0" encoding="utf-8"?><Error><Code>InvalidQueryParameterValue</Code><Message>Value for one of the query parameters specified in the request URI is invalid.\nRequestId:1\nTime:2026-01-01</Message><QueryParameterName>popreceipt</QueryParameterName><QueryParameterValue>33</QueryParameterValue><Reason>Invalid receipt format</Reason></Error>',
    says: ['InvalidQueryParameterValue', 'popreceipt', 'Invalid receipt format'],
  },
  {
    api: 'Azure Storage',
    status: 404,
    type: 'application/xml',
    headers: { 'x-ms-error-code': 'BlobNotFound' },
    body: '',
    says: ['BlobNotFound'],
  },
  {
    api: 'Microsoft Graph',
    status: 400,
    body: {
      error: {
        code: 'Request_BadRequest',
        message: "Invalid value specified for property 'mailNickname' of resource 'User'.",
        details: [{ code: 'InvalidValue', message: 'Bad characters', target: 'mailNickname' }],
        innerError: { date: '2026-01-01T00:00:00', 'request-id': 'r1', 'client-request-id': 'r1' },
      },
    },
    says: ['Request_BadRequest', 'mailNickname', 'InvalidValue', 'Bad characters'],
  },
  {
    api: 'Azure DevOps',
    status: 400,
    body: {
      $id: '1',
      customProperties: {
        ErrorMessage: 'TF401320: Rule Error for field State.',
        RuleValidationErrors: [
          {
            fieldReferenceName: 'System.State',
            errorCode: 0,
            errorMessage: 'TF401320: Rule Error for field State. Error code: Required.',
          },
        ],
      },
      message: 'TF401320: Rule Error for field State.',
      typeName: 'Microsoft.RuleValidationException',
      typeKey: 'RuleValidationException',
      errorCode: 0,
    },
    says: ['System.State', 'TF401320', 'Required', 'RuleValidationException'],
  },
  {
    api: 'Kubernetes',
    status: 422,
    body: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Pod "x" is invalid: spec.containers[0].image: Required value',
      reason: 'Invalid',
      details: {
        name: 'x',
        kind: 'Pod',
        causes: [
          { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.containers[0].image' },
        ],
      },
      code: 422,
    },
    says: ['spec.containers[0].image', 'Required value', 'FieldValueRequired', 'Invalid'],
  },
  {
    api: 'Docker',
    status: 409,
    body: { message: 'Conflict. The container name "/web" is already in use' },
    says: ['"/web" is already in use'],
  },
  {
    api: 'Docker Registry',
    status: 404,
    body: { errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown', detail: { Tag: 'v9' } }] },
    says: ['MANIFEST_UNKNOWN', 'manifest unknown', 'v9'],
  },
  {
    api: 'Elasticsearch',
    status: 400,
    body: {
      error: {
        root_cause: [{ type: 'parsing_exception', reason: 'unknown query [mach]', line: 1, col: 20 }],
        type: 'parsing_exception',
        reason: 'unknown query [mach]',
        line: 1,
        col: 20,
        caused_by: { type: 'named_object_not_found_exception', reason: '[1:20] unknown field [mach]' },
      },
      status: 400,
    },
    says: [
      'parsing_exception',
      'unknown query [mach]',
      'named_object_not_found_exception',
      'unknown field [mach]',
    ],
  },
  {
    api: 'Cloudflare',
    status: 400,
    body: {
      success: false,
      errors: [
        {
          code: 1004,
          message: 'DNS Validation Error',
          error_chain: [
            { code: 9021, message: 'Invalid TTL. Must be between 120 and 2,147,483,647 seconds' },
          ],
        },
      ],
      messages: [],
      result: null,
    },
    says: ['1004', 'DNS Validation Error', '9021', 'Invalid TTL'],
  },
  {
    api: 'DigitalOcean',
    status: 422,
    body: {
      id: 'unprocessable_entity',
      message: 'Size is not available in this region.',
      request_id: '4d9d8375',
    },
    says: ['unprocessable_entity', 'Size is not available'],
  },
  {
    api: 'Heroku',
    status: 422,
    body: { id: 'invalid_params', message: 'Name is already taken', url: 'https://docs.example' },
    says: ['invalid_params', 'Name is already taken'],
  },
  {
    api: 'Linode',
    status: 400,
    body: {
      errors: [
        { reason: 'region is not valid', field: 'region' },
        { reason: 'type is required', field: 'type' },
      ],
    },
    says: ['region is not valid', 'region', 'type is required'],
  },
  {
    api: 'Vercel',
    status: 400,
    body: {
      error: {
        code: 'bad_request',
        message: 'The request body should be JSON',
        errors: [
          { path: 'target', keyword: 'enum', message: 'should be equal to one of the allowed values' },
        ],
      },
    },
    says: ['bad_request', 'target', 'enum', 'allowed values'],
  },
  {
    api: 'Netlify',
    status: 422,
    body: { errors: { subdomain: ['must be unique'] } },
    says: ['subdomain', 'must be unique'],
  },
  {
    api: 'Terraform Cloud',
    status: 422,
    type: 'application/vnd.api+json',
    body: {
      errors: [
        {
          status: '422',
          title: 'invalid attribute',
          detail: 'Name has already been taken',
          source: { pointer: '/data/attributes/name' },
        },
      ],
    },
    says: ['/data/attributes/name', 'invalid attribute', 'Name has already been taken'],
  },
  {
    api: 'Datadog',
    status: 400,
    body: { errors: ['The value provided for parameter "query" is invalid'] },
    says: ['parameter "query" is invalid'],
  },
  {
    api: 'PagerDuty',
    status: 400,
    body: {
      error: {
        message: 'Invalid Input Provided',
        code: 2001,
        errors: ['Name cannot be blank', 'Escalation policy is required'],
      },
    },
    says: ['2001', 'Name cannot be blank', 'Escalation policy is required'],
  },
  {
    api: 'Sentry',
    status: 400,
    body: {
      detail: { code: 'parameter-validation-error', message: 'Invalid slug', extra: { field: 'slug' } },
    },
    says: ['parameter-validation-error', 'Invalid slug', 'slug'],
  },
  {
    api: 'Sentry',
    status: 400,
    body: { slug: ['This slug is already in use.'], platform: ['Invalid platform'] },
    says: ['slug', 'already in use', 'platform', 'Invalid platform'],
  },
  {
    api: 'CircleCI',
    status: 400,
    body: { message: 'Permission denied: branch must be a string', code: 'branch.invalid' },
    says: ['branch must be a string', 'branch.invalid'],
  },
  {
    api: 'npm registry',
    status: 403,
    body: { error: 'You cannot publish over the previously published versions: 1.0.0.', success: false },
    says: ['previously published versions: 1.0.0'],
  },
  {
    api: 'New Relic',
    status: 422,
    body: { error: { title: 'The validation failed: alert_policy.name: is too long' } },
    says: ['alert_policy.name: is too long'],
  },
  {
    api: 'Grafana',
    status: 400,
    body: [{ fieldNames: ['name'], classification: 'RequiredError', message: 'Required' }],
    says: ['name', 'RequiredError', 'Required'],
  },
  {
    api: 'Supabase (PostgREST)',
    status: 400,
    body: {
      code: '23502',
      details: 'Failing row contains (1, null).',
      hint: null,
      message: 'null value in column "title" violates not-null constraint',
    },
    says: ['23502', 'column "title"', 'Failing row'],
  },
  {
    api: 'Hasura',
    status: 400,
    body: {
      errors: [
        {
          extensions: { path: '$.selectionSet.insert_user.args.objects', code: 'validation-failed' },
          message: "field 'emial' not found in type: 'user_insert_input'",
        },
      ],
    },
    says: ['$.selectionSet.insert_user.args.objects', 'validation-failed', 'emial'],
  },
  {
    api: 'OpenAI',
    status: 400,
    body: {
      error: {
        message: "Invalid type for 'temperature': expected a decimal, but got a string instead.",
        type: 'invalid_request_error',
        param: 'temperature',
        code: 'invalid_type',
      },
    },
    says: ['temperature', 'expected a decimal', 'invalid_type', 'invalid_request_error'],
  },
  {
    api: 'Anthropic',
    status: 400,
    body: {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'max_tokens: Field required' },
      request_id: 'req_1',
    },
    says: ['max_tokens: Field required', 'invalid_request_error'],
  },
  {
    api: 'Hugging Face',
    status: 422,
    body: { error: ['Error in `inputs`: field required'], warnings: ['There was an inference error'] },
    says: ['Error in `inputs`: field required', 'inference error'],
  },
];

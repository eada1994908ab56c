let companyDDL = #"""
    CREATE SCHEMA IF NOT EXISTS "company";
    CREATE SEQUENCE "company"."_howdah_id" AS bigint INCREMENT BY 1 MINVALUE 1 START WITH 1 CACHE 1 NO CYCLE;
    CREATE FUNCTION "company"."_howdah_fold_c_1"(pg_catalog.text) RETURNS pg_catalog.text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT pg_catalog.replace(pg_catalog.translate(pg_catalog.lower($1 COLLATE pg_catalog."und-x-icu") COLLATE pg_catalog."C", ''ς'', ''σ''), ''ß'', ''ss'')';
    CREATE FUNCTION "company"."_howdah_fold_cd_1"(pg_catalog.text) RETURNS pg_catalog.text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS E'SELECT pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.translate(pg_catalog.replace(pg_catalog.translate(pg_catalog.lower(pg_catalog.normalize(pg_catalog.regexp_replace(pg_catalog.normalize($1, ''NFD'') COLLATE pg_catalog."C", E''[\\\\u0300-\\\\u036f]'', '''', ''g''), ''NFC'') COLLATE pg_catalog."und-x-icu") COLLATE pg_catalog."C", ''ς'', ''σ''), ''ß'', ''ss''), ''øđħłŧıØĐĦŁŦ'', ''odhltiODHLT''), ''æ'', ''ae''), ''œ'', ''oe''), ''Æ'', ''AE''), ''Œ'', ''OE'')';
    CREATE FUNCTION "company"."_howdah_fold_d_1"(pg_catalog.text) RETURNS pg_catalog.text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS E'SELECT pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.translate(pg_catalog.normalize(pg_catalog.regexp_replace(pg_catalog.normalize($1, ''NFD'') COLLATE pg_catalog."C", E''[\\\\u0300-\\\\u036f]'', '''', ''g''), ''NFC''), ''øđħłŧıØĐĦŁŦ'', ''odhltiODHLT''), ''æ'', ''ae''), ''œ'', ''oe''), ''Æ'', ''AE''), ''Œ'', ''OE'')';
    CREATE TABLE "company"."department" (
        "_id" bigint NOT NULL DEFAULT pg_catalog.nextval('"company"."_howdah_id"'::pg_catalog.regclass),
        "_version" bigint NOT NULL DEFAULT 1,
        "name" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
        "key" pg_catalog.uuid,
        "site" pg_catalog.text COLLATE pg_catalog."C" DEFAULT 'https://example.org/',
        "settings" pg_catalog.jsonb,
        "office_latitude" double precision NOT NULL,
        "office_longitude" double precision NOT NULL,
        "head" bigint,
        "head_entity" pg_catalog.text COLLATE pg_catalog."C",
        CONSTRAINT "department_pkey" PRIMARY KEY ("_id"),
        CONSTRAINT "department_head_pair_check" CHECK (("head" IS NULL) = ("head_entity" IS NULL)),
        CONSTRAINT "department_head_entity_check" CHECK ("head_entity" IN ('Boss'))
    );
    CREATE TABLE "company"."employee_projects" (
        "members" bigint NOT NULL,
        "members_entity" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
        "projects" bigint NOT NULL,
        "projects_order" bigint NOT NULL DEFAULT 0,
        CONSTRAINT "employee_projects_pkey" PRIMARY KEY ("members", "projects"),
        CONSTRAINT "employee_projects_members_entity_check" CHECK ("members_entity" IN ('Boss', 'Employee'))
    );
    CREATE TABLE "company"."passport" (
        "_id" bigint NOT NULL DEFAULT pg_catalog.nextval('"company"."_howdah_id"'::pg_catalog.regclass),
        "_version" bigint NOT NULL DEFAULT 1,
        "code" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
        "holder" bigint NOT NULL,
        "holder_entity" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
        CONSTRAINT "passport_pkey" PRIMARY KEY ("_id"),
        CONSTRAINT "passport_holder_entity_check" CHECK ("holder_entity" IN ('Boss', 'Employee', 'Person'))
    );
    CREATE TABLE "company"."person" (
        "_id" bigint NOT NULL DEFAULT pg_catalog.nextval('"company"."_howdah_id"'::pg_catalog.regclass),
        "_version" bigint NOT NULL DEFAULT 1,
        "_entity" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
        "first_name" pg_catalog.text COLLATE pg_catalog."C" NOT NULL DEFAULT '',
        "born_at" timestamp with time zone,
        "address_street" pg_catalog.text COLLATE pg_catalog."C",
        "address_zip" pg_catalog.text COLLATE pg_catalog."C",
        "address_place_latitude" double precision,
        "address_place_longitude" double precision,
        "parent" bigint,
        "parent_entity" pg_catalog.text COLLATE pg_catalog."C",
        "employee_number" integer,
        "employee_salary" numeric,
        "employee_department" bigint,
        "employee_department_order" bigint,
        "manager_number_of_reports" smallint,
        CONSTRAINT "person_pkey" PRIMARY KEY ("_id"),
        CONSTRAINT "person__entity_check" CHECK ("_entity" IN ('Boss', 'Employee', 'Person')),
        CONSTRAINT "person_first_name_length_check" CHECK ((pg_catalog.char_length("first_name") >= 1) AND (pg_catalog.char_length("first_name") <= 80)),
        CONSTRAINT "person_born_at_range_check" CHECK ("born_at" >= '1850-01-01 00:00:00+00'::timestamp with time zone),
        CONSTRAINT "person_address_complete_check" CHECK (("address_street" IS NULL AND "address_zip" IS NULL AND "address_place_latitude" IS NULL AND "address_place_longitude" IS NULL) OR ("address_street" IS NOT NULL)),
        CONSTRAINT "person_address_place_complete_check" CHECK (("address_place_latitude" IS NULL) = ("address_place_longitude" IS NULL)),
        CONSTRAINT "person_parent_pair_check" CHECK (("parent" IS NULL) = ("parent_entity" IS NULL)),
        CONSTRAINT "person_parent_entity_check" CHECK ("parent_entity" IN ('Boss', 'Employee', 'Person')),
        CONSTRAINT "person_employee_number_required_check" CHECK ((NOT ("_entity" IN ('Boss', 'Employee'))) OR ("employee_number" IS NOT NULL)),
        CONSTRAINT "person_employee_salary_range_check" CHECK (("employee_salary" >= 0) AND ("employee_salary" <= 1000000)),
        CONSTRAINT "person_employee_salary_required_check" CHECK ((NOT ("_entity" IN ('Boss', 'Employee'))) OR ("employee_salary" IS NOT NULL)),
        CONSTRAINT "person_employee_department_required_check" CHECK ((NOT ("_entity" IN ('Boss', 'Employee'))) OR ("employee_department" IS NOT NULL))
    );
    CREATE TABLE "company"."person_friends" (
        "person" bigint NOT NULL,
        "person_entity" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
        "friends" bigint NOT NULL,
        "friends_entity" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
        CONSTRAINT "person_friends_pkey" PRIMARY KEY ("person", "friends"),
        CONSTRAINT "person_friends_person_entity_check" CHECK ("person_entity" IN ('Boss', 'Employee', 'Person')),
        CONSTRAINT "person_friends_friends_entity_check" CHECK ("friends_entity" IN ('Boss', 'Employee', 'Person'))
    );
    CREATE TABLE "company"."project" (
        "_id" bigint NOT NULL DEFAULT pg_catalog.nextval('"company"."_howdah_id"'::pg_catalog.regclass),
        "_version" bigint NOT NULL DEFAULT 1,
        "order" bigint NOT NULL DEFAULT -1,
        "is_open" boolean NOT NULL DEFAULT TRUE,
        "ratio" real DEFAULT '0.5'::real,
        "logo" pg_catalog.bytea DEFAULT E'\\x00ff'::pg_catalog.bytea,
        "started_at" timestamp with time zone DEFAULT '1970-01-01 00:00:00.250000+00'::timestamp with time zone,
        CONSTRAINT "project_pkey" PRIMARY KEY ("_id")
    );
    CREATE TABLE "company"."project_tags" (
        "project" bigint NOT NULL,
        "tags" bigint NOT NULL,
        CONSTRAINT "project_tags_pkey" PRIMARY KEY ("project", "tags")
    );
    CREATE TABLE "company"."tag" (
        "_id" bigint NOT NULL DEFAULT pg_catalog.nextval('"company"."_howdah_id"'::pg_catalog.regclass),
        "_version" bigint NOT NULL DEFAULT 1,
        "text" pg_catalog.text COLLATE pg_catalog."C",
        CONSTRAINT "tag_pkey" PRIMARY KEY ("_id")
    );
    ALTER TABLE "company"."department" ADD CONSTRAINT "department_name_key_key" UNIQUE ("name", "key");
    ALTER TABLE "company"."passport" ADD CONSTRAINT "passport_holder_key" UNIQUE ("holder");
    CREATE UNIQUE INDEX "person_employee_number_key" ON "company"."person" ("employee_number" ASC NULLS FIRST);
    CREATE UNIQUE INDEX "person_employee_first_name_key" ON "company"."person" ("first_name") WHERE ("_entity" IN ('Boss', 'Employee'));
    ALTER TABLE "company"."person" ADD CONSTRAINT "person__id__entity_key" UNIQUE ("_id", "_entity");
    ALTER TABLE "company"."department" ADD CONSTRAINT "department_head_fkey" FOREIGN KEY ("head", "head_entity") REFERENCES "company"."person" ("_id", "_entity") ON DELETE SET NULL DEFERRABLE INITIALLY IMMEDIATE;
    ALTER TABLE "company"."employee_projects" ADD CONSTRAINT "employee_projects_members_fkey" FOREIGN KEY ("members", "members_entity") REFERENCES "company"."person" ("_id", "_entity") ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE;
    ALTER TABLE "company"."employee_projects" ADD CONSTRAINT "employee_projects_projects_fkey" FOREIGN KEY ("projects") REFERENCES "company"."project" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY IMMEDIATE;
    ALTER TABLE "company"."passport" ADD CONSTRAINT "passport_holder_fkey" FOREIGN KEY ("holder", "holder_entity") REFERENCES "company"."person" ("_id", "_entity") ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE;
    ALTER TABLE "company"."person" ADD CONSTRAINT "person_parent_fkey" FOREIGN KEY ("parent", "parent_entity") REFERENCES "company"."person" ("_id", "_entity") ON DELETE NO ACTION DEFERRABLE INITIALLY IMMEDIATE;
    ALTER TABLE "company"."person" ADD CONSTRAINT "person_employee_department_fkey" FOREIGN KEY ("employee_department") REFERENCES "company"."department" ("_id") ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE;
    ALTER TABLE "company"."person_friends" ADD CONSTRAINT "person_friends_person_fkey" FOREIGN KEY ("person", "person_entity") REFERENCES "company"."person" ("_id", "_entity") ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE;
    ALTER TABLE "company"."person_friends" ADD CONSTRAINT "person_friends_friends_fkey" FOREIGN KEY ("friends", "friends_entity") REFERENCES "company"."person" ("_id", "_entity") ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE;
    ALTER TABLE "company"."project_tags" ADD CONSTRAINT "project_tags_project_fkey" FOREIGN KEY ("project") REFERENCES "company"."project" ("_id") ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE;
    ALTER TABLE "company"."project_tags" ADD CONSTRAINT "project_tags_tags_fkey" FOREIGN KEY ("tags") REFERENCES "company"."tag" ("_id") ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE;
    CREATE INDEX "department_head_idx" ON "company"."department" ("head");
    CREATE INDEX "employee_projects_projects_members_idx" ON "company"."employee_projects" ("projects", "members");
    CREATE INDEX "person_parent_idx" ON "company"."person" ("parent");
    CREATE INDEX "person_employee_department_employee_department_order_idx" ON "company"."person" ("employee_department", "employee_department_order");
    CREATE INDEX "person_friends_friends_person_idx" ON "company"."person_friends" ("friends", "person");
    CREATE INDEX "project_tags_tags_project_idx" ON "company"."project_tags" ("tags", "project");
    CREATE TABLE "company"."_howdah_store" (
        "singleton" boolean NOT NULL DEFAULT TRUE,
        "store_uuid" pg_catalog.uuid NOT NULL,
        "format_version" integer NOT NULL,
        "model" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
        "checksum" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
        "created_at" timestamp with time zone NOT NULL DEFAULT pg_catalog.now(),
        "readable_from" integer,
        "writable_from" integer,
        CONSTRAINT "_howdah_store_pkey" PRIMARY KEY ("singleton"),
        CONSTRAINT "_howdah_store_singleton_check" CHECK ("singleton")
    );
    CREATE TABLE "company"."_howdah_save" (
        "token" pg_catalog.uuid NOT NULL,
        "is_stored" boolean NOT NULL DEFAULT TRUE,
        "saved_at" timestamp with time zone NOT NULL DEFAULT pg_catalog.now(),
        CONSTRAINT "_howdah_save_pkey" PRIMARY KEY ("token")
    );
    CREATE TABLE "company"."_howdah_metadata" (
        "key" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
        "value" pg_catalog.json NOT NULL,
        CONSTRAINT "_howdah_metadata_pkey" PRIMARY KEY ("key")
    );

    """#
